export function serve(folder: string, port?: number): Promise<{ readonly link: string; close(): Promise<void> }>;

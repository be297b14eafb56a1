/** The part of ts-morph that the compiler uses, alone: what else it has needs a file system. */
import ts from '@ts-morph/common/dist/typescript.js';

export { ts };

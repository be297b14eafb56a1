/** Names of learned maps in generated code. */
import type { Network } from '../../network/network.ts';
import { camelCase } from './identifiers.ts';

/** Names that a program which calls these networks must leave alone, in both targets. */
export function namesOfNetworks(networks: readonly Network[]): string[] {
  if (networks.length === 0) return [];
  return [
    'network_a',
    'network_b',
    'network_tape',
    'networkA',
    'networkB',
    'networkTape',
    ...networks.flatMap((n) => [nameC(n), nameTypeScript(n)]),
  ];
}

export function nameC({ name }: Network): string {
  return `network_${name}`;
}

export function nameTypeScript({ name }: Network): string {
  return camelCase(`network_${name}`);
}

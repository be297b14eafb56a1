/** Trees of arithmetic made by hand. */
import type { Tree } from './statement.ts';

export const number = (value: number): Tree => ({ kind: 'number', value });

export const plus = (left: Tree, right: Tree): Tree => ({ kind: 'add', left, right });

export const minus = (left: Tree, right: Tree): Tree => ({ kind: 'subtract', left, right });

export const times = (left: Tree, right: Tree): Tree => ({ kind: 'multiply', left, right });

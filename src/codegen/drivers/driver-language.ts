/** How a language spells what drivers do: links, loops, calls and the workspace. */
import type { LinkFunctionName } from '../../kane/link/kernels.ts';
import type { LinkModel } from '../modules/robot-model.ts';
import type { SharedPart } from '../modules/workspace.ts';
import type { Target } from '../printing/print-arithmetic.ts';
import type { ParameterKind } from './actuator-functions.ts';

/** A function of the driver that callers do not see. */
export interface DriverFunction {
  readonly name: string;
  readonly purpose: string;
  readonly parameters: readonly (readonly [string, ParameterKind])[];
  readonly lines: readonly string[];
}

/** An index: known now, or an expression. */
export type Index = number | string;

/** The blocks of a link and of its parent, and those of their changes along a direction. */
type BlockRegion = 'parent' | 'own' | 'parentTangent' | 'ownTangent';
/** Derivatives by parameters stand where their changes do. */
export type LinkRegion = 'constants' | 'parameters' | 'parametersTangent' | 'parametersAdjoint' | BlockRegion;

/** How a language spells what belongs to one link. */
export interface LinkAccess {
  array(region: LinkRegion): string;
  /** A number in the link's block, in that of its parent, or in those of their changes. */
  number(region: BlockRegion, index: Index): string;
  readonly first: Index;
  readonly parentIndex: Index;
  /** Index among the robot's actuators of a term that acts within the link. */
  actuator(term: Index): Index;
}

/** Of a link that is known when the driver runs only. */
export interface RowAccess extends LinkAccess {
  /** Statements before the first use. */
  readonly declarations: readonly string[];
  readonly type: string;
  readonly count: string;
}

export interface DriverLanguage {
  readonly target: Target;
  /** The value of an element of an array. */
  value(element: string): string;
  link(index: number): LinkAccess;
  row(index: string): RowAccess;
  /** A part of the workspace, a number in it, and the wrench of unit acceleration of a coordinate. */
  shared(part: SharedPart): string;
  sharedNumber(part: SharedPart, index: Index): string;
  unitWrench(coordinate: Index): string;
  /** The function of a link type. */
  callLink(link: LinkModel, name: LinkFunctionName, parameters: readonly string[]): string;
  /** A function of the driver, see `functionName`. */
  call(name: string, parameters: readonly string[]): string;
  /** The value of a function of the run time, runtime/elimination.ts. */
  runTime(name: string, parameters: readonly Index[]): string;
  /** Zeros in an array of the caller, in the workspace, in the block of a link that is known now. */
  clear(array: string, size: number): string;
  clearBlock(index: number, from: number, size: number, region: 'own' | 'ownTangent'): string;
  clearShared(part: SharedPart): string;
  /** Rotation and origin of a frame in its link. */
  frameOffset(index: string): string;
  loop(variable: string, from: Index, to: Index, inwards: boolean, condition?: string): string;
  /** Head of a loop over a link and all that carry it, of those beyond a link where one is given. */
  walk(variable: string, from: string, beyond?: string): string;
  branch(condition: string, lines: readonly string[]): string[];
  isGiven(output: string): string;
  /** Leaves the function with a status. */
  refuse(status: string): string;
  /** Stands for an output that is not wanted. */
  readonly nothing: string;
  /** The motion of the link of a place, set aside. */
  placeDrift(place: number): string;
  /** A variable for an array that is read, and one for an array that is written. */
  declareRead(name: string, array: string): string;
  declareWritten(name: string, array: string): string;
  /** An index as a number of the scalar type. */
  asNumber(index: Index): string;
  declareIndex(name: string, value: string): string;
  readonly equal: string;
}

/** `sum(3, 'i')` → `i + 3`; numbers are added. */
export function sum(a: Index, b: Index): Index {
  if (typeof a === 'number' && typeof b === 'number') return a + b;
  if (a === 0) return b;
  return b === 0 ? a : `${a} + ${b}`;
}

/** `multiple(60, 'i + 1')` → `60 * (i + 1)`. */
export function multiple(factor: number, a: Index): Index {
  return typeof a === 'number' ? factor * a : `${factor} * (${a})`;
}

export function matrixIndex(row: Index, column: Index, width: number): Index {
  if (typeof row === 'number') return sum(row * width, column);
  return `${/ /.test(row) ? `(${row})` : row} * ${width} + ${column}`;
}

/** The statement that adds an element to another. */
export function added({ value }: DriverLanguage, to: string, from: string): string {
  return `${to} = ${value(to)} + ${value(from)};`;
}

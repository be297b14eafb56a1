/** How a language spells what drivers do: links, loops, calls and the workspace. */
import type { LinkFunctionName } from '../../kane/kernels/link-functions.ts';
import type { LinkModel } from '../modules/robot-model.ts';
import type { BlockPlace, SharedPart } from '../modules/workspace.ts';
import type { Target } from '../printing/print-arithmetic.ts';
import type { ParameterKind } from '../sweeps/actuator-functions.ts';
import type { Index } from '../sweeps/indices.ts';

export { matrixIndex, multiple, sum, type Index } from '../sweeps/indices.ts';

/** Parameters of a function of the driver, in order. */
export type DriverParameters = Readonly<Record<string, ParameterKind>>;

/** One of a kind for each of some frames of a term. */
export const perFrame = (frames: readonly number[], name: string, kind: ParameterKind): DriverParameters =>
  Object.fromEntries(frames.map((k) => [`${name}${k}`, kind]));

/** A function of the driver that callers do not see. */
export interface DriverFunction {
  readonly name: string;
  readonly purpose: string;
  readonly parameters: DriverParameters;
  readonly lines: readonly string[];
}

/** The blocks of a link and of its parent, and those of their changes along a direction. */
type BlockRegion = 'parent' | 'own' | 'parentTangent' | 'ownTangent';
/** Derivatives by parameters stand where their changes do. */
/** `madeConstants`: those that are made at run time, where they are written. */
export type LinkRegion =
  'constants' | 'madeConstants' | 'parameters' | 'parametersTangent' | 'parametersAdjoint' | BlockRegion;

/** How a language spells what belongs to one link. */
export interface LinkAccess {
  array(region: LinkRegion): string;
  /** A number of what has a place in the link's block, in that of its parent, or in those of their changes. */
  number(region: BlockRegion, place: BlockPlace, index: Index): string;
  /** Where the place begins in the link's block. */
  placeOf(place: BlockPlace): Index;
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

/** A robot and its links where they are known when the driver runs only, spelled for the link of `row('i')`. */
interface KnownAtRunTime {
  /** Coordinates of the robot, and how many links it has. */
  readonly coordinates: string;
  readonly links: string;
  /** Coordinates of a link, and numbers of its addend to the mass matrix. */
  readonly count: string;
  readonly addend: string;
  /** Does the type of the link have a function? */
  has(name: LinkFunctionName): string;
  /** Is it visited first among its siblings on the way back? Does it carry no other? */
  readonly writesFirst: string;
  readonly isLeaf: string;
  /** Zeros in its block. */
  clearOwn(place: BlockPlace, size: number): string;
}

export interface DriverLanguage {
  readonly target: Target;
  /** Of the driver for robots that are put together when it runs. */
  readonly atRunTime?: KnownAtRunTime;
  /** The value of an element of an array. */
  value(element: string): string;
  link(index: number): LinkAccess;
  /** @param link its type, where one of its own buffers is asked for. */
  row(index: string, link?: LinkModel): RowAccess;
  /** A number of a block that a variable points to. */
  inBlock(block: string, place: BlockPlace, index: Index): string;
  /** A part of the workspace, a number in it, and the wrench of unit acceleration of a coordinate. */
  shared(part: SharedPart): string;
  sharedNumber(part: SharedPart, index: Index): string;
  unitWrench(coordinate: Index): string;
  /** Numbers in the blocks of the base and of what a link adds to a parent that has something already. */
  baseNumber(place: BlockPlace, index: Index): string;
  addendNumber(place: BlockPlace, index: Index): string;
  /** The function of a link type. */
  callLink(link: LinkModel, name: LinkFunctionName, parameters: readonly string[]): string;
  /** A function of the driver, see `functionName`. */
  call(name: string, parameters: readonly Index[]): string;
  /** The value of a function of the run time, runtime/elimination.ts. */
  runTime(name: string, parameters: readonly Index[]): string;
  /** Zeros in an array of the caller, in the workspace, in the block of a link that is known now. */
  clear(array: string, size: Index): string;
  clearBlock(index: number, place: BlockPlace, size: number, region: 'own' | 'ownTangent'): string;
  clearShared(part: SharedPart): string;
  /** Rotation and origin of a frame in its link. */
  frameOffset(index: string): string;
  /** A variable for the block of the link of a frame, see `inBlock`. */
  declareFrameBlock(name: string, frame: string): string;
  loop(
    variable: string,
    from: Index,
    to: Index,
    lines: readonly string[],
    inwards?: boolean,
    condition?: string,
  ): string[];
  /** Index of the link that carries `link`; negative of the base. */
  readonly parentOfLink: string;
  branch(condition: string, lines: readonly string[]): string[];
  /** Statements with what they are about; none without statements. */
  about(name: string, lines: readonly string[]): string[];
  isGiven(output: string): string;
  /** Leaves the function with a status. */
  refuse(status: string): string;
  /** Stands for an output that is not wanted. */
  readonly nothing: string;
  /** The motion of the link of a place, set aside; and its change, or derivatives by it. */
  placeDrift(place: number): string;
  placeDriftTangent(place: number): string;
  /** A variable for an array that is read, and one for an array that is written. */
  declareRead(name: string, array: string): string;
  declareWritten(name: string, array: string): string;
  /** An index as a number of the scalar type. */
  asNumber(index: Index): string;
  /** True or false as an argument. */
  flag(is: boolean): string;
  declareIndex(name: string, value: string): string;
  readonly equal: string;
}

/** Statements in braces. */
export function within(head: string, lines: readonly string[]): string[] {
  return [head, ...lines.map((line) => `  ${line}`), '}'];
}

/** The statement that adds an element to another. */
export function added({ value }: DriverLanguage, to: string, from: string): string {
  return `${to} = ${value(to)} + ${value(from)};`;
}

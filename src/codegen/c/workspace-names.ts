/** How the driver of a robot in C names the places of its workspace. */
import { startOf } from '../drivers/link-calls.ts';
import { typesUsed } from '../drivers/equal-links.ts';
import type { LinkModel, RobotModel } from '../modules/robot-model.ts';
import { BLOCK, startOfFrame, type BlockPlace, type SharedPart, type WorkspaceLayout } from '../modules/workspace.ts';
import { distinct, snakeCase } from '../naming/identifiers.ts';
import { PlaceNames } from './place-names.ts';

export class WorkspaceNames {
  readonly names = new PlaceNames();
  private readonly model: RobotModel;
  private readonly layout: WorkspaceLayout;
  private readonly links: readonly string[];

  constructor(model: RobotModel, layout: WorkspaceLayout) {
    this.model = model;
    this.layout = layout;
    const [, ...links] = distinct(['base', ...model.instances.map(({ name }) => name)], snakeCase);
    this.links = links;
  }

  shared(part: SharedPart): string {
    if (part === 'refused') return `${this.model.name.toUpperCase()}_REFUSED`;
    const block = part === 'base' || part === 'addend' ? ['block'] : [];
    return this.names.of([part, ...block], this.layout.shared[part].at);
  }

  /** What belongs to a link, by its index; -1: the block of the base, or of its changes. */
  ofLink(index: number, part: 'block' | 'tangent' | 'constants' | 'parameters' | 'parametersTangent'): string {
    if (index < 0) return this.shared(part === 'block' ? 'base' : 'baseTangent');
    return this.names.of([this.links[index]!, part], this.layout.links[index]![part].at);
  }

  /** A place in the block of a link or of its changes. */
  inLink(index: number, part: 'block' | 'tangent', place: BlockPlace): string {
    const { shared, links } = this.layout;
    const block = index < 0 ? shared[part === 'block' ? 'base' : 'baseTangent'] : links[index]![part];
    const words = [index < 0 ? 'base' : this.links[index]!, ...(part === 'tangent' ? [part] : []), place];
    return this.names.of(
      words,
      block.at + this.startIn(index < 0 ? undefined : this.model.instances[index]!.link, place),
    );
  }

  inAddend(place: BlockPlace): string {
    return this.names.of(['addend', place], this.layout.shared.addend.at + this.startIn(undefined, place));
  }

  /** A place in any block, or in those of links of a type where types differ in it. */
  inBlock(place: BlockPlace, link?: LinkModel): string {
    const start = this.startIn(link, place);
    const isEverywhere = typesUsed(this.model).every((type) => this.startIn(type, place) === start);
    return this.names.of([...(isEverywhere ? [] : ['in', link!.name]), place], start, 'block');
  }

  private startIn(link: LinkModel | undefined, place: BlockPlace): number {
    if (link) return startOf(link, place);
    return startOfFrame(place) ?? BLOCK;
  }
}

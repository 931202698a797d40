import { ValueEditor, type ValueVisitor } from '../firestore/index.ts';
import type { FieldState, FieldStates } from './field-states.ts';
import type { RuleSet } from './rule-set.ts';
import { ValueMask } from './value-mask.ts';

/** What the rules did to one document. */
export interface MaskedDocument {
  /** Positions of the rules that found their field. */
  readonly rules: ReadonlySet<number>;
  /** Values that changed. */
  readonly fields: number;
}

const untouched: MaskedDocument = { rules: new Set(), fields: 0 };

/**
 * Masks encoded documents by rules. Documents that no rule touches are returned as they are. The same rules, key and document
 * always give the same bytes.
 */
export class DocumentMasker {
  /** About the last document. */
  last = untouched;
  readonly #rules: RuleSet;
  readonly #visitor: MaskVisitor;
  readonly #editor: ValueEditor<FieldState>;

  constructor(rules: RuleSet, key: Uint8Array) {
    this.#rules = rules;
    this.#visitor = new MaskVisitor(new ValueMask(key));
    this.#editor = new ValueEditor(this.#visitor);
  }

  /** `path` is the document's path below the database. */
  mask(document: Uint8Array, path: Buffer | string): Uint8Array {
    const name = path.toString();
    const states = this.#rules.statesOf(name.slice(0, name.lastIndexOf('/')));
    this.last = untouched;
    if (!states?.initial) return document;
    const matched = this.#visitor.begin(states);
    const masked = this.#editor.edit(document, states.initial);
    this.last = { rules: matched, fields: this.#editor.changes };
    return masked;
  }
}

/** What happened to the parts of a map or an array so far. */
interface Parts {
  /** Whether a more specific rule applies to one of them. */
  isDivided: boolean;
  /** Whether a value in them became null. */
  hasNull: boolean;
}

class MaskVisitor implements ValueVisitor<FieldState> {
  readonly #mask: ValueMask;
  #states: FieldStates | undefined;
  #matched = new Set<number>();
  /** Of the maps and arrays around the current value, outermost first. */
  readonly #around: Parts[] = [];

  constructor(mask: ValueMask) {
    this.#mask = mask;
  }

  begin(states: FieldStates): ReadonlySet<number> {
    this.#states = states;
    this.#matched = new Set();
    this.#around.length = 0;
    return this.#matched;
  }

  entry(state: FieldState, name: string): FieldState | undefined {
    return this.#note(state, this.#states?.ofEntry(state, name));
  }

  element(state: FieldState): FieldState | undefined {
    return this.#note(state, this.#states?.ofElement(state));
  }

  replace({ winner, isDecided }: FieldState): Buffer | undefined {
    if (winner?.rule.transform !== 'null' || !isDecided) return undefined;
    this.#noteNull();
    return this.#mask.nothing;
  }

  scalar({ winner }: FieldState, kind: number, raw: Buffer): Buffer | undefined {
    if (winner?.rule.transform === 'null') this.#noteNull();
    return winner && this.#mask.mask(winner.rule, kind, raw);
  }

  enter(): void {
    this.#around.push({ isDivided: false, hasNull: false });
  }

  /** A map or an array becomes null as a whole, unless a more specific rule applies to a part of it. A vector has no nulls. */
  leave({ winner }: FieldState, isVector: boolean): Buffer | undefined {
    const parts = this.#around.pop();
    if (parts?.isDivided) this.#noteDivided();
    const isNull = winner?.rule.transform === 'null' && !parts?.isDivided;
    if (isNull || parts?.hasNull) this.#noteNull();
    return isNull || (isVector && parts?.hasNull) ? this.#mask.nothing : undefined;
  }

  #noteNull(): void {
    const parts = this.#around.at(-1);
    if (parts) parts.hasNull = true;
  }

  #noteDivided(): void {
    const parts = this.#around.at(-1);
    if (parts) parts.isDivided = true;
  }

  #note(from: FieldState, to: FieldState | undefined): FieldState | undefined {
    if (to?.winner !== from.winner) this.#noteDivided();
    for (const { index } of to?.matched ?? []) this.#matched.add(index);
    return to;
  }
}

import type { TransformRule } from '../contract/models/transform.ts';
import { type CompiledRule, compileRules } from './compile-rules.ts';
import { FieldStates } from './field-states.ts';
import { canOverlap, type RuleSegment } from './rule-path.ts';

/** Collections whose rules are remembered. */
const collectionsMax = 1_000;

/** The rules of a masked copy, by collection. */
export class RuleSet {
  readonly rules: readonly CompiledRule[];
  /** Without rules for single documents, collections with the same ids have the same rules: all orders of all users. */
  readonly #namesDocuments: boolean;
  /** States by the rules that apply: collections with the same rules share them. */
  readonly #states = new Map<string, FieldStates>();
  readonly #ofCollection = new Map<string, FieldStates | undefined>();
  /** The last answer: documents come in the order of names. */
  #last: { readonly collection: string; readonly states: FieldStates | undefined } | undefined;

  constructor(rules: readonly TransformRule[]) {
    this.rules = compileRules(rules);
    this.#namesDocuments = this.rules.some(({ collection }) => namesDocument(collection));
  }

  /** Undefined if no rule applies to the collection, given by its path. */
  statesOf(collection: string): FieldStates | undefined {
    if (this.#last?.collection === collection) return this.#last.states;
    const names = collection.split('/');
    const key = this.#namesDocuments ? collection : names.filter((_, n) => n % 2 === 0).join('/');
    if (!this.#ofCollection.has(key)) {
      if (this.#ofCollection.size >= collectionsMax) this.#ofCollection.clear();
      this.#ofCollection.set(key, this.#find(names));
    }
    const states = this.#ofCollection.get(key);
    this.#last = { collection, states };
    return states;
  }

  #find(names: readonly string[]): FieldStates | undefined {
    const path = names.map((name): RuleSegment => ({ kind: 'name', name }));
    const rules = this.rules.filter((rule) => canOverlap(rule.collection, path));
    if (rules.length === 0) return undefined;
    const key = rules.map(({ index }) => index).join();
    const states = this.#states.get(key) ?? new FieldStates(rules);
    this.#states.set(key, states);
    return states;
  }
}

/** Whether a pattern contains the id of a document. Ids of collections and documents alternate, from both ends. */
const namesDocument = (collection: readonly RuleSegment[]): boolean => {
  const deep = collection.findIndex(({ kind }) => kind === 'deep');
  const isName = (n: number): boolean => collection[n]?.kind === 'name';
  const fromStart = collection.some((_, n) => n % 2 === 1 && isName(n) && (deep < 0 || n < deep));
  const fromEnd = collection.some((_, n) => (collection.length - 1 - n) % 2 === 1 && isName(n) && deep >= 0 && n > deep);
  return fromStart || fromEnd;
};

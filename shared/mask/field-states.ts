import { type CompiledRule, compareRules } from './compile-rules.ts';

/** A rule, and how many segments of its field path are matched. */
interface Item {
  readonly rule: CompiledRule;
  readonly at: number;
}

/** A position in a document: the rules that may still match below it, and the one that applies to it. */
export interface FieldState {
  readonly items: readonly Item[];
  /** The most specific rule that matches here or above. */
  readonly winner: CompiledRule | undefined;
  /** Rules that match exactly here. */
  readonly matched: readonly CompiledRule[];
  /** Whether no rule that matches below is more specific: the winner then decides about the whole value. */
  readonly isDecided: boolean;
  /** Names that occur in the rules; all others lead to the same state. */
  readonly literals: ReadonlySet<string>;
  /** Known transitions: by name, for any other name, and for the elements of an array. */
  readonly next: Map<string | typeof otherName | typeof arrayElement, FieldState | undefined>;
}

const otherName = Symbol('other name');
const arrayElement = Symbol('array element');
/** Transitions beyond these limits are computed each time, so that hostile rules and documents do not fill the memory. */
const statesMax = 10_000;
const itemsMax = 500_000;

/** The states of the rules for one collection, made as documents need them: documents resemble each other, so there are few. */
export class FieldStates {
  /** Before the first field of a document; undefined if there is no rule. */
  readonly initial: FieldState | undefined;
  readonly #known = new Map<string, FieldState>();
  /** Items of all known states. */
  #items = 0;

  constructor(rules: readonly CompiledRule[]) {
    this.initial = this.#state(
      rules.flatMap((rule) => closure({ rule, at: 0 })),
      undefined,
    );
  }

  /** The state of a field, or of a map entry; undefined if no rule concerns it. */
  ofEntry(state: FieldState, name: string): FieldState | undefined {
    const isLiteral = state.literals.has(name);
    return this.#transition(state, isLiteral ? name : otherName, (segment) =>
      segment.kind === 'name' ? isLiteral && segment.name === name : segment.kind === 'any',
    );
  }

  /** The state of the elements of an array. */
  ofElement(state: FieldState): FieldState | undefined {
    return this.#transition(state, arrayElement, ({ kind }) => kind === 'element' || kind === 'any');
  }

  #transition(
    state: FieldState,
    by: string | typeof otherName | typeof arrayElement,
    matches: (segment: CompiledRule['field'][number]) => boolean,
  ): FieldState | undefined {
    const known = state.next.get(by);
    if (known || state.next.has(by)) return known;
    const found = this.#state(
      state.items.flatMap((item) => advance(item, matches)),
      state.winner,
    );
    if (this.#hasRoom) state.next.set(by, found);
    return found;
  }

  #state(items: readonly Item[], above: CompiledRule | undefined): FieldState | undefined {
    const unique = [...new Map(items.map((item) => [`${item.rule.index}:${item.at}`, item]))].sort(([a], [b]) =>
      a < b ? -1 : 1,
    );
    const all = unique.map(([, item]) => item);
    const matched = all.filter(({ rule, at }) => at === rule.field.length).map(({ rule }) => rule);
    const open = all.filter(({ rule, at }) => at < rule.field.length);
    const winner = [...matched, ...(above ? [above] : [])].sort(compareRules)[0];
    // Nothing below changes if the rule keeps it and no other can match.
    if (open.length === 0 && matched.length === 0 && (!winner || winner.rule.transform === 'keep')) return undefined;
    const key = `${winner?.index}|${unique.map(([one]) => one).join()}`;
    const known = this.#known.get(key);
    if (known) return known;
    const literals = new Set(open.flatMap(({ rule, at }) => literalOf(rule, at)));
    const isDecided = winner !== undefined && open.every(({ rule }) => compareRules(winner, rule) < 0);
    const state: FieldState = { items: open, winner, matched, isDecided, literals, next: new Map() };
    if (this.#hasRoom) {
      this.#known.set(key, state);
      this.#items += unique.length;
    }
    return state;
  }

  get #hasRoom(): boolean {
    return this.#known.size < statesMax && this.#items < itemsMax;
  }
}

const advance = ({ rule, at }: Item, matches: (segment: CompiledRule['field'][number]) => boolean): readonly Item[] => {
  const segment = rule.field[at];
  if (!segment) return [];
  if (segment.kind === 'deep') return closure({ rule, at });
  return matches(segment) ? closure({ rule, at: at + 1 }) : [];
};

/** `**` may stand for no segment. */
const closure = ({ rule, at }: Item): readonly Item[] =>
  rule.field[at]?.kind === 'deep'
    ? [
        { rule, at },
        { rule, at: at + 1 },
      ]
    : [{ rule, at }];

const literalOf = ({ field }: CompiledRule, at: number): readonly string[] => {
  const segment = field[at];
  return segment?.kind === 'name' ? [segment.name] : [];
};

import type { RestFields, RestValue } from '../firestore/index.ts';
import { exportValue, type ValueKind } from './export-value.ts';

/** Top-level fields with a column of their own; the others share `__other__`. */
export const columnsMax = 1_000;
/** Keys of a map that is a struct. One with more has ids as keys, and is JSON. */
const keysMax = 200;
/** Columns and parts of structs of a table. */
const partsMax = 3_000;

/** Fields without a column of their own, as one JSON object. */
export const otherColumn = '__other__';

export type ColumnType =
  | { readonly kind: 'boolean' | 'integer' | 'double' | 'timestamp' | 'string' | 'bytes' | 'reference' | 'geoPoint' | 'vector' }
  /** The value as JSON text: of several types, or of none that a column has. */
  | { readonly kind: 'json' }
  | { readonly kind: 'list'; readonly element: ColumnType }
  | { readonly kind: 'struct'; readonly columns: readonly TableColumn[] };

export interface TableColumn {
  readonly name: string;
  readonly type: ColumnType;
}

/** What was found in one place of the documents of a table, as JSON keeps it. */
interface FoundShape {
  readonly kinds: readonly ValueKind[];
  readonly hasWideInteger: boolean;
  readonly element: FoundShape | null;
  /** Null if there were too many. */
  readonly keys: readonly (readonly [key: string, shape: FoundShape])[] | null;
}

/** What was found in the documents of a part of a table. */
export interface FoundColumns {
  readonly columns: readonly (readonly [name: string, shape: FoundShape])[];
  readonly hasOther: boolean;
}

/** Finds the columns of a table, and their types, from all its documents. Memory is bounded by the limits above. */
export class TableSchema {
  readonly #columns = new Map<string, ColumnShape>();
  readonly #budget = { parts: partsMax };
  /** Whether some documents have fields without a column. */
  hasOther = false;

  add(fields: RestFields): void {
    for (const name in fields) {
      const value = fields[name];
      if (value === undefined) continue;
      let shape = this.#columns.get(name);
      if (!shape && this.#columns.size < columnsMax) {
        shape = new ColumnShape(this.#budget);
        this.#columns.set(name, shape);
      }
      if (shape) shape.add(value);
      else this.hasOther = true;
    }
  }

  get found(): FoundColumns {
    return { columns: [...this.#columns].map(([name, shape]) => [name, shape.found]), hasOther: this.hasOther };
  }

  /** Adds what was found in the part of the table that follows. */
  merge({ columns, hasOther }: FoundColumns): void {
    this.hasOther ||= hasOther;
    for (const [name, found] of columns) {
      const shape = this.#columns.get(name) ?? (this.#columns.size < columnsMax ? new ColumnShape(this.#budget) : undefined);
      if (!shape) this.hasOther = true;
      else this.#columns.set(name, shape);
      shape?.merge(found);
    }
  }

  /** In the order in which the fields were first found. */
  get columns(): readonly TableColumn[] {
    return [...this.#columns].map(([name, shape]) => ({ name, type: shape.type }));
  }
}

/** What was found in one place of the documents of a table. */
class ColumnShape {
  readonly #budget: { parts: number };
  readonly #kinds = new Set<ValueKind>();
  /** A double cannot hold all the integers. */
  #hasWideInteger = false;
  #element: ColumnShape | undefined;
  /** Undefined once the keys are too many. */
  #keys: Map<string, ColumnShape> | undefined = new Map();

  constructor(budget: { parts: number }) {
    this.#budget = budget;
  }

  add(value: RestValue): void {
    const typed = exportValue(value);
    if (typed.kind !== 'null') this.#kinds.add(typed.kind);
    if (typed.kind === 'integer') this.#hasWideInteger ||= !Number.isSafeInteger(Number(typed.value));
    else if (typed.kind === 'array') {
      this.#element ??= new ColumnShape(this.#budget);
      for (const element of typed.values) this.#element.add(element);
    } else if (typed.kind === 'map') for (const name in typed.fields) this.#addKey(name, typed.fields[name] as RestValue);
  }

  get found(): FoundShape {
    return {
      kinds: [...this.#kinds],
      hasWideInteger: this.#hasWideInteger,
      element: this.#element?.found ?? null,
      keys: this.#keys ? [...this.#keys].map(([key, shape]) => [key, shape.found]) : null,
    };
  }

  merge({ kinds, hasWideInteger, element, keys }: FoundShape): void {
    for (const kind of kinds) this.#kinds.add(kind);
    this.#hasWideInteger ||= hasWideInteger;
    if (element) {
      this.#element ??= new ColumnShape(this.#budget);
      this.#element.merge(element);
    }
    if (keys === null) this.#budget.parts += this.#releaseKeys();
    else for (const [key, found] of keys) this.#shapeOf(key)?.merge(found);
  }

  #addKey(name: string, value: RestValue): void {
    this.#shapeOf(name)?.add(value);
  }

  /** Undefined if the keys are too many. */
  #shapeOf(name: string): ColumnShape | undefined {
    if (!this.#keys) return undefined;
    let shape = this.#keys.get(name);
    if (!shape) {
      if (this.#keys.size >= keysMax || this.#budget.parts === 0) {
        this.#budget.parts += this.#release();
        return undefined;
      }
      this.#budget.parts -= 1;
      shape = new ColumnShape(this.#budget);
      this.#keys.set(name, shape);
    }
    return shape;
  }

  /** Forgets all keys; returns how many there were, at any depth. */
  #release(): number {
    return (this.#element ? this.#element.#release() : 0) + this.#releaseKeys();
  }

  #releaseKeys(): number {
    let parts = 0;
    for (const shape of this.#keys?.values() ?? []) parts += 1 + shape.#release();
    this.#keys = undefined;
    return parts;
  }

  get type(): ColumnType {
    const [kind, ...more] = this.#kinds;
    if (more.length > 0) {
      const isNumber = this.#kinds.size === 2 && this.#kinds.has('integer') && this.#kinds.has('double');
      return { kind: isNumber && !this.#hasWideInteger ? 'double' : 'json' };
    }
    if (kind === undefined) return { kind: 'string' };
    if (kind === 'array') return { kind: 'list', element: this.#element?.type ?? { kind: 'string' } };
    if (kind === 'map') {
      const columns = [...(this.#keys ?? [])].map(([name, shape]) => ({ name, type: shape.type }));
      return columns.length > 0 ? { kind: 'struct', columns } : { kind: 'json' };
    }
    return { kind: kind === 'null' || kind === 'unknown' ? 'json' : kind };
  }
}

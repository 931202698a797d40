import type { ExportRow } from './export-row.ts';
import { type FoundColumns, TableSchema } from './table-schema.ts';

/** What was found of one table. */
export type FoundTable = readonly [collectionId: string, columns: FoundColumns];

/** The columns of each table, by the id of its collections. */
export class TableSchemas {
  readonly #schemas = new Map<string, TableSchema>();

  add({ collectionId, fields }: Pick<ExportRow, 'collectionId' | 'fields'>): void {
    this.of(collectionId).add(fields);
  }

  /** What was found so far, by the id of the collections. */
  get found(): readonly FoundTable[] {
    return [...this.#schemas].map(([collectionId, schema]) => [collectionId, schema.found]);
  }

  /** Adds what was found in the part of the tables that follows. */
  merge(tables: readonly FoundTable[]): void {
    for (const [collectionId, found] of tables) this.of(collectionId).merge(found);
  }

  of(collectionId: string): TableSchema {
    const schema = this.#schemas.get(collectionId) ?? new TableSchema();
    this.#schemas.set(collectionId, schema);
    return schema;
  }
}

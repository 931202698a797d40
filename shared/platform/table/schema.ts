/** The schema of the table: what its items mean. An earlier release may not understand the items of a later one. */
import { type ReleasedSchema, schemaRefusal } from '../../contract/schema-refusal.ts';
import { schemaVersion } from '../../contract/version.ts';
import { env } from '../env.ts';
import type { Key } from './change.ts';
import { get } from './read-table.ts';
import { updateItem } from './single-item.ts';

/** The item names the release that raised the version. */
const schemaKey: Key<ReleasedSchema> = { pk: 'SCHEMA', sk: 'SCHEMA' };

/** Notes in the table that this release writes its items. A later one stays noted. */
export const raiseSchema = async (): Promise<boolean> =>
  updateItem({
    update: schemaKey,
    expression: 'SET #version = :version, #release = :release',
    condition: 'attribute_not_exists(pk) OR #version < :version',
    names: { '#version': 'version', '#release': 'release' },
    values: { ':version': schemaVersion, ':release': env('SERVICE_VERSION') },
  });

/** Why this release must not use the table, and what to do: a later one has written items that it may not understand. */
export const refuseSchema = async (own?: ReleasedSchema): Promise<string | undefined> => schemaRefusal(await get(schemaKey), own);

export const isSchemaKnown = async (): Promise<boolean> => (await refuseSchema()) === undefined;

/** The schema of the table: what its items mean. An earlier release may not understand the items of a later one. */
import { schemaVersion } from '../../contract/version.ts';
import { env } from '../env.ts';
import type { Key } from './change.ts';
import { get } from './read-table.ts';
import { updateItem } from './single-item.ts';

interface SchemaRecord {
  readonly version: number;
  /** The release that raised it. */
  readonly release: string;
}

const schemaKey: Key<SchemaRecord> = { pk: 'SCHEMA', sk: 'SCHEMA' };

/** Notes in the table that this release writes its items. A later one stays noted. */
export const raiseSchema = async (): Promise<boolean> =>
  updateItem({
    update: schemaKey,
    expression: 'SET #version = :version, #release = :release',
    condition: 'attribute_not_exists(pk) OR #version < :version',
    names: { '#version': 'version', '#release': 'release' },
    values: { ':version': schemaVersion, ':release': env('SERVICE_VERSION') },
  });

/** False if a later release has written items that this one may not understand. */
export const isSchemaKnown = async (): Promise<boolean> => ((await get(schemaKey))?.version ?? 0) <= schemaVersion;

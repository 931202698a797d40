import { schemaVersion, version } from './version.ts';

/** A release, and the version of the table's items that it reads and writes. */
export interface ReleasedSchema {
  readonly release: string;
  readonly version: number;
}

/** The release of this code. */
export const ownSchema: ReleasedSchema = { release: version, version: schemaVersion };

/** Why a release must not use a table that another one has written, and what to do; undefined if it may. */
export const schemaRefusal = (
  found: Partial<ReleasedSchema> | undefined,
  own: ReleasedSchema = ownSchema,
): string | undefined => {
  const { version: written = 0, release = 'a later release' } = found ?? {};
  return written <= own.version
    ? undefined
    : `${release} has written the table with schema ${written}, and ${own.release} knows schema ${own.version}: use ${release} or a later ` +
        'release; infra/deploy.md (Upgrade and roll back) says how to go back nevertheless';
};

import type { FilterSource } from '../../archive/index.ts';
import { FieldKeys, fieldSegments } from '../../firestore/index.ts';
import type { ProjectRecord } from '../../project/index.ts';

/** What the chunks of a project's backups are filtered by; undefined if it names no fields. */
export const searchFilter = ({
  settings: { searchFields = [] },
}: {
  readonly settings: Pick<ProjectRecord['settings'], 'searchFields'>;
}): FilterSource | undefined => {
  const fields = searchFields.flatMap((field) => {
    const segments = fieldSegments(field);
    return segments ? [segments] : [];
  });
  return fields.length === 0 ? undefined : new FieldKeys(fields);
};

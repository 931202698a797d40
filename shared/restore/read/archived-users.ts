/** The Firebase Authentication users of an archive; they sort before its documents. */
import { type Archive, compareNames, recordKind, streamLeaves } from '../../archive/index.ts';
import type { Tenant } from '../../platform/index.ts';
import type { ProjectRecord, Toolkit } from '../../project/index.ts';
import { userName } from '../../stored-backup/index.ts';

export interface ArchivedUser {
  readonly id: string;
  readonly name: Buffer;
  /** The account as JSON; undefined for a tombstone. */
  readonly json: Buffer | undefined;
}

const prefix = userName('');

/** The users in the order of names, after the given one. `keys` costs a tenth of `all`; `json` is then an empty buffer. */
export async function* archivedUsers(
  archive: Archive,
  { after, part = 'all' }: { readonly after?: string | undefined; readonly part?: 'all' | 'keys' } = {},
): AsyncGenerator<ArchivedUser, void, undefined> {
  const from = userName(after ?? '');
  for await (const { segment, leaf } of streamLeaves(archive, { from, part, ahead: 2 })) {
    for (let slot = segment.start; slot < segment.start + segment.count; slot++) {
      const name = leaf.name(slot);
      if (!name.subarray(0, prefix.length).equals(prefix)) return;
      if (compareNames(name, from) <= 0) continue;
      const isUser = leaf.kind(slot) === recordKind.user;
      const json = isUser ? (part === 'all' ? leaf.content(slot) : none) : undefined;
      yield { id: name.subarray(prefix.length).toString(), name, json };
    }
  }
}

const none = Buffer.alloc(0);

export type JoinedUser = Pick<ArchivedUser, 'id' | 'json'>;

/** The users that a journal names, each as the backup has it; without `json` if the backup has none. */
export async function* joinJournalUsers(
  journal: Archive,
  backup: Archive,
  after: string | undefined,
): AsyncGenerator<JoinedUser, void, undefined> {
  const all = archivedUsers(backup, { after });
  try {
    let next = await all.next();
    for await (const { id, name } of archivedUsers(journal, { after, part: 'keys' })) {
      while (!next.done && compareNames(next.value.name, name) < 0) next = await all.next();
      yield { id, json: !next.done && next.value.name.equals(name) ? next.value.json : undefined };
    }
  } finally {
    await all.return();
  }
}

/** The users of the target; a refusal is reported as the target's. */
export const openTargetUsers = (
  { openToolkit }: { readonly openToolkit: (tenant: Tenant, project: ProjectRecord) => Toolkit },
  { tenant, target }: { readonly tenant: Tenant; readonly target: ProjectRecord },
): Toolkit => ({ ...openToolkit(tenant, target), refusedAs: 'TARGET_PERMISSION_DENIED' });

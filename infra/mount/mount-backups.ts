import { recordKind, streamLeaves } from '../../shared/archive/index.ts';
import { keepYoungSmall } from '../../shared/platform/index.ts';
import { failureOf } from '../archive/failure.ts';
import type { OpenBackup } from '../archive/open-backup.ts';
import { grouped, note } from '../archive/output.ts';
import type { MountBackups } from '../archive/run-archive.ts';
import { contentOf } from '../archive/show.ts';
import { toJson } from '../archive/to-json.ts';
import { RpcError, type User } from '../local/engines/firestore/index.ts';
import { ArchiveDocuments } from './archive-documents.ts';
import { MountMask } from './mount-mask.ts';
import { maskWords, mountJson, mountWords, openMount, overlayWords } from './open-mount.ts';

/** `bms archive open`: serves backups as a Firestore on this machine, until it is interrupted. */
export const mountBackups: MountBackups = async (served, { port, overlay, mask: rules, allowedOrigins, signal }, output) => {
  keepYoungSmall();
  const end = interrupted(signal);
  const mask = rules === undefined ? undefined : MountMask.read(rules);
  const backups = served.map(({ backup, databaseId }) => ({
    backup: backup.identity.backup,
    source: backup.manifest.source,
    readTime: backup.manifest.readTime,
    documents: new ArchiveDocuments(backup.archive, rpcErrorOf),
    databaseId,
    users: usersOf(backup),
  }));
  const mount = await openMount(backups, { port, overlay, mask, allowedOrigins });
  for (const { backup } of served) {
    const { source, readTime, counts } = backup.manifest;
    note(`${backup.identity.backup} of ${source} at ${readTime}: ${grouped(counts.documents)} documents`);
  }
  const { users = 0 } = served[0]?.backup.manifest.counts ?? {};
  if (users > 0)
    note(mask ? 'users are not served: rules mask documents only' : `FIREBASE_AUTH_EMULATOR_HOST: ${grouped(users)} users`);
  if (output.isJson) await output.line(toJson(mountJson(mount, backups)));
  else if (output.isQuiet) await output.line(mount.address);
  else await output.line(mountWords(mount));
  await output.flush();
  note(overlayWords(overlay));
  await end;
  await mount.stop();
  const unmatched = maskWords(mask);
  if (unmatched !== undefined) note(unmatched);
};

/** Their names sort before those of all documents. */
async function* usersOf({ archive, manifest }: OpenBackup): AsyncGenerator<readonly User[], void, undefined> {
  if (manifest.counts.users === 0) return;
  for await (const { segment, leaf } of streamLeaves(archive, {})) {
    const slots = Array.from({ length: segment.count }, (_, n) => segment.start + n);
    const users = slots.filter((slot) => leaf.kind(slot) === recordKind.user);
    if (users.length > 0) yield users.map((slot) => contentOf(leaf, slot) as User);
    if (slots.some((slot) => leaf.kind(slot) === recordKind.document)) return;
  }
}

/** What clients are told of a range that cannot be read. */
export const rpcErrorOf = (error: unknown): RpcError => {
  const { exitCode, message } = failureOf(error);
  return new RpcError(exitCode === 1 ? 'DATA_LOSS' : 'UNAVAILABLE', message);
};

/** By the signal of the caller, or one to the process. */
const interrupted = (signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    if (signal?.aborted) resolve();
    signal?.addEventListener('abort', () => resolve(), { once: true });
    if (!signal) for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => resolve());
  });

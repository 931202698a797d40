import { failureOf, unusable } from '../archive/failure.ts';
import { grouped, note } from '../archive/output.ts';
import type { MountBackup } from '../archive/run-archive.ts';
import { toJson } from '../archive/to-json.ts';
import { RpcError } from '../local/engines/firestore/index.ts';
import { ArchiveDocuments } from './archive-documents.ts';
import { mountWords, openMount, overlayWords } from './open-mount.ts';

/** `bms archive open`: serves a backup as a Firestore on this machine, until it is interrupted. */
export const mountBackup: MountBackup = async (backup, { port, overlay, signal }, output) => {
  const { archive, manifest, identity } = backup;
  const end = interrupted(signal);
  const { source, readTime, counts } = manifest;
  const documents = new ArchiveDocuments(archive, rpcErrorOf);
  const mount = await openMount({ backup: identity.backup, source, documents, port, overlay }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') throw unusable(`port ${port} is in use: choose another with --port`, error);
      throw error;
    },
  );
  const { address, url, projectId, databaseId } = mount;
  note(`${identity.backup} of ${source} at ${readTime}: ${grouped(counts.documents)} documents`);
  if (output.isJson)
    await output.line(toJson({ address, url, project: projectId, database: databaseId, backup: identity.backup, readTime }));
  else if (output.isQuiet) await output.line(address);
  else await output.line(mountWords(mount));
  await output.flush();
  note(overlayWords(overlay));
  await end;
  await mount.stop();
};

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

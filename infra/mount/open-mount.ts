import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { referenceRewriter } from '../../shared/firestore/index.ts';
import { unusable } from '../archive/failure.ts';
import { type BaseDocuments, startFirestore, type User, type Users } from '../local/engines/firestore/index.ts';
import { claimOverlay } from './claim-overlay.ts';
import type { MountMask } from './mount-mask.ts';
import { type MountScope, ScopedDocuments } from './scoped-documents.ts';
import { type DocumentForm, ShownDocuments } from './shown-documents.ts';

/** A backup that is to be served. */
export interface MountedBackup {
  /** Its id. */
  readonly backup: string;
  /** `projects/p/databases/d` */
  readonly source: string;
  readonly documents: BaseDocuments;
  /** The database under which it is served, if not under its own; references within it lead there, too. */
  readonly databaseId?: string | undefined;
  /** The users of Firebase Authentication, in batches. A project has one set of users: those of the first backup are served. */
  readonly users?: AsyncIterable<readonly User[]> | undefined;
}

export interface MountOptions {
  /** 0 chooses a free port. */
  readonly port: number;
  /** Folder of what is written; without it, it stays in memory. */
  readonly overlay?: string | undefined;
  readonly mask?: MountMask | undefined;
  /** Of every backup; without it, all is served. */
  readonly scope?: MountScope | undefined;
  /** Origins whose pages may use it, besides those of this machine. All others must not read a backup. */
  readonly allowedOrigins?: readonly string[];
}

/** A running Firestore that serves backups. */
export interface Mount {
  /** The value for FIRESTORE_EMULATOR_HOST and FIREBASE_AUTH_EMULATOR_HOST. */
  readonly address: string;
  readonly url: string;
  readonly projectId: string;
  readonly databaseIds: readonly string[];
  stop(): Promise<void>;
}

/** Serves backups as databases of the first one's project. What clients write lies above them and does not reach them. */
export const openMount = async (
  backups: readonly MountedBackup[],
  { port, overlay, mask, scope, allowedOrigins = [] }: MountOptions,
): Promise<Mount> => {
  const [, projectId = ''] = backups[0]?.source.split('/') ?? [];
  if (overlay !== undefined) claimOverlay(overlay, claimOf(backups, { mask, scope }));
  const masked = mask?.formOf(overlay);
  const bases = backups.map(({ source, documents: all, databaseId = databaseOf(source) }) => {
    const name = `projects/${projectId}/databases/${databaseId}`;
    const form = formOf({ source, name, masked });
    const documents = scope ? new ScopedDocuments(all, scope) : all;
    return [name, form ? new ShownDocuments(documents, form) : documents] as const;
  });
  const firestore = await startFirestore({
    port,
    createOnUse: false,
    origins: allowedOrigins,
    bases: new Map(bases),
    ...(overlay !== undefined && { dir: overlay }),
  }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EADDRINUSE') throw unusable(`port ${port} is in use: choose another with --port`, error);
    throw error;
  });
  const { address, url, stop } = firestore;
  // Rules mask documents only: users would be shown as they are.
  if (!mask)
    await loadUsers(firestore.users, { from: backups[0]?.users, projectId, overlay }).catch(async (error: unknown) => {
      await stop();
      throw error;
    });
  return { address, url, projectId, databaseIds: bases.map(([name]) => databaseOf(name)), stop };
};

const databaseOf = (source: string): string => source.split('/')[3] ?? '';

/** What an overlay lies above. */
const claimOf = (backups: readonly MountedBackup[], { mask, scope }: Pick<MountOptions, 'mask' | 'scope'>): string => {
  const named = backups.map(({ backup, databaseId }) => (databaseId === undefined ? backup : `${databaseId}=${backup}`));
  const part = scope ? ` only ${scope.collections.toSorted().join(',')}${scope.includeSubcollections ? '' : ' alone'}` : '';
  return `${named.sort().join(',')}${part}${mask ? ` masked by ${mask.digest}` : ''}`;
};

/** Undefined if documents are shown as they are stored. */
const formOf = ({
  source,
  name,
  masked,
}: {
  readonly source: string;
  readonly name: string;
  readonly masked: DocumentForm | undefined;
}): DocumentForm | undefined => {
  if (source === name) return masked;
  const rewrite = referenceRewriter(source, name);
  return masked ? (document, path) => rewrite(masked(document, path)) : rewrite;
};

interface LoadedUsers {
  readonly from: MountedBackup['users'];
  readonly projectId: string;
  readonly overlay: string | undefined;
}

/** Of an overlay once: what was done with the users there counts. */
const loadUsers = async (users: Users, { from, projectId, overlay }: LoadedUsers): Promise<void> => {
  const loaded = overlay === undefined ? undefined : join(overlay, 'users-loaded');
  if (loaded !== undefined && existsSync(loaded)) return;
  for await (const batch of from ?? []) users.put(projectId, batch);
  if (loaded !== undefined) writeFileSync(loaded, '');
};

/** A mount for programs; `database`, `backup` and `readTime` are those of the first backup. */
export const mountJson = (
  { address, url, projectId, databaseIds }: Mount,
  backups: readonly { readonly backup: string; readonly readTime: string | null }[],
  scope?: MountScope | undefined,
) => {
  const databases = backups.map(({ backup, readTime }, n) => ({ database: databaseIds[n] ?? '', backup, readTime }));
  return { address, url, project: projectId, ...databases[0], databases, ...scope };
};

/** What an application needs to use a mount, in one line. */
export const mountWords = ({ url, address, projectId, databaseIds }: Mount): string => {
  const databases = databaseIds.length > 1 ? ` databases: ${databaseIds.join(', ')}` : '';
  return `ready ${url}  (FIRESTORE_EMULATOR_HOST=${address} GOOGLE_CLOUD_PROJECT=${projectId})${databases}`;
};

/** What happens with what is written. */
export const overlayWords = (overlay: string | undefined): string => {
  const written = overlay === undefined ? 'is lost at the end: Ctrl-C' : `stays in ${overlay}. Ctrl-C ends this`;
  return `Documents are read from the backup when they are asked for. What is written ${written}`;
};

/** At the end of a masked mount; undefined if every rule found a field. */
export const maskWords = (mask: MountMask | undefined): string | undefined =>
  mask && mask.unmatched > 0
    ? `${mask.unmatched} rules of --mask found no field in what was read: bms archive export --mask refuses misspelled ones`
    : undefined;

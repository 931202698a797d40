import { type BaseDocuments, startFirestore } from '../local/engines/firestore/index.ts';
import { claimOverlay } from './claim-overlay.ts';

interface MountOptions {
  /** The id of the backup. */
  readonly backup: string;
  /** `projects/p/databases/d`: it is served under this name, so that references lead to its own documents. */
  readonly source: string;
  readonly documents: BaseDocuments;
  /** 0 chooses a free port. */
  readonly port: number;
  /** Folder of what is written; without it, it stays in memory. */
  readonly overlay?: string | undefined;
}

/** A running Firestore that serves a backup. */
export interface Mount {
  /** The value for FIRESTORE_EMULATOR_HOST. */
  readonly address: string;
  readonly url: string;
  readonly projectId: string;
  readonly databaseId: string;
  stop(): Promise<void>;
}

/** Serves a backup. What clients write lies above it and does not reach it. */
export const openMount = async ({ backup, source, documents, port, overlay }: MountOptions): Promise<Mount> => {
  const [, projectId = '', , databaseId = ''] = source.split('/');
  if (overlay !== undefined) claimOverlay(overlay, backup);
  const firestore = await startFirestore({
    port,
    createOnUse: false,
    bases: new Map([[source, documents]]),
    ...(overlay !== undefined && { dir: overlay }),
  });
  const { address, url, stop } = firestore;
  return { address, url, projectId, databaseId, stop };
};

/** What an application needs to use a mount, in one line. */
export const mountWords = ({ url, address, projectId }: Mount): string =>
  `ready ${url}  (FIRESTORE_EMULATOR_HOST=${address} GOOGLE_CLOUD_PROJECT=${projectId})`;

/** What happens with what is written. */
export const overlayWords = (overlay: string | undefined): string => {
  const written = overlay === undefined ? 'is lost at the end: Ctrl-C' : `stays in ${overlay}. Ctrl-C ends this`;
  return `Documents are read from the backup when they are asked for. What is written ${written}`;
};

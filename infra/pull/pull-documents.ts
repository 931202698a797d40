import { referenceRewriter, restDocument } from '../../shared/firestore/index.ts';
import { toJson } from '../archive/to-json.ts';
import type { BaseDocuments } from '../local/engines/firestore/index.ts';
import type { DocumentForm } from '../mount/shown-documents.ts';
import { Emulator } from './emulator.ts';
import { type Pick, pickDocuments } from './pick-documents.ts';
import { Spool } from './spool.ts';

export interface PullOptions {
  readonly documents: BaseDocuments;
  /** `projects/p/databases/d` of the backup, and of the emulator: references follow. */
  readonly source: string;
  readonly target: string;
  /** `host:port` of a running emulator; undefined: nothing is written. */
  readonly into: string | undefined;
  readonly picks: readonly Pick[];
  /** Masks documents. */
  readonly form?: DocumentForm | undefined;
  /** What would be written, before the first write; it may refuse it. */
  readonly onPlan: (plan: PullPlan) => void;
  readonly onProgress: (done: { readonly read: number; readonly written: number }) => void;
  readonly signal: AbortSignal;
}

export interface PullPlan {
  readonly collections: readonly { readonly collection: string; readonly documents: number; readonly bytes: number }[];
  readonly documents: number;
  /** As Firestore encodes them. */
  readonly bytes: number;
}

/** Copies documents of a backup into an emulator. Documents of the same name are replaced there; others stay. */
export const pullDocuments = async ({ documents, source, target, into, form, ...options }: PullOptions): Promise<PullPlan> => {
  const { picks, onPlan, onProgress, signal } = options;
  const emulator = into === undefined ? undefined : new Emulator(into, target);
  await emulator?.check();
  const rewrite = referenceRewriter(source, target);
  const spool = new Spool();
  try {
    const collections: { collection: string; documents: number; bytes: number }[] = [];
    let read = 0;
    for (const pick of picks) {
      const counted = { collection: pick.collection, documents: 0, bytes: 0 };
      collections.push(counted);
      for await (const document of pickDocuments(documents, pick)) {
        signal.throwIfAborted();
        const bytes = rewrite(form ? form(document.bytes, document.path) : document.bytes);
        const { name, fields } = restDocument(bytes);
        counted.documents += 1;
        counted.bytes += bytes.length;
        read += 1;
        if (emulator) spool.add(toJson({ update: { name, fields } }));
        onProgress({ read, written: 0 });
      }
    }
    const plan = {
      collections,
      documents: read,
      bytes: collections.reduce((sum, { bytes }) => sum + bytes, 0),
    };
    onPlan(plan);
    if (!emulator) return plan;
    for await (const json of spool.values()) {
      signal.throwIfAborted();
      await emulator.set({ json, bytes: Buffer.byteLength(json) });
      onProgress({ read, written: emulator.written });
    }
    await emulator.flush();
    onProgress({ read, written: emulator.written });
    return plan;
  } finally {
    spool.close();
  }
};

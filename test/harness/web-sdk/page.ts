/** Runs in a browser: the official web SDK, and what tests do with it there. */
import { deleteApp, initializeApp } from '@firebase/app';
import * as firestore from '@firebase/firestore';

interface Opening {
  readonly projectId: string;
  readonly port: number;
  /** Keeps documents in IndexedDB, shared by tabs. */
  readonly isPersistent?: boolean;
  readonly settings?: firestore.FirestoreSettings;
}

const open = ({ projectId, port, isPersistent = false, settings = {} }: Opening): firestore.Firestore => {
  const localCache = isPersistent
    ? firestore.persistentLocalCache({ tabManager: firestore.persistentMultipleTabManager() })
    : firestore.memoryLocalCache();
  const db = firestore.initializeFirestore(initializeApp({ projectId, apiKey: 'none' }), { ...settings, localCache });
  firestore.connectFirestoreEmulator(db, '127.0.0.1', port);
  return db;
};

/** A snapshot of a query or a document. */
export interface Seen {
  readonly ids: readonly string[];
  /** Such as `added ada`. */
  readonly changes: readonly string[];
  readonly data: Readonly<Record<string, firestore.DocumentData>>;
  readonly isFromCache: boolean;
  /** Whether it contains writes that the server has not confirmed. */
  readonly isPending: boolean;
}

/** Everything that a listener was told. */
export interface Recording {
  readonly seen: readonly Seen[];
  readonly failed: () => Promise<string>;
  /** The first snapshot from this one on that matches; the whole recording is in the message if there is none in time. */
  readonly until: (matches: (seen: Seen) => boolean, from?: number) => Promise<Seen>;
  readonly stop: () => void;
}

const timeoutMs = 150_000;

const record = (target: firestore.Query | firestore.DocumentReference): Recording => {
  const seen: Seen[] = [];
  let error: firestore.FirestoreError | undefined;
  const fail = (reason: firestore.FirestoreError): void => {
    error = reason;
  };
  const options = { includeMetadataChanges: true };
  const stop =
    target instanceof firestore.DocumentReference
      ? firestore.onSnapshot(target, options, (snapshot) => void seen.push(ofDocument(snapshot)), fail)
      : firestore.onSnapshot(target, options, (snapshot) => void seen.push(ofQuery(snapshot)), fail);
  const settled = async <T>(find: () => T | undefined): Promise<T> => {
    for (const end = Date.now() + timeoutMs; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 5))) {
      const found = find();
      if (found !== undefined) return found;
    }
    throw new Error(`not in time: ${error?.message ?? ''} ${JSON.stringify(seen).slice(0, 5_000)}`);
  };
  return {
    seen,
    stop,
    failed: () => settled(() => error?.code),
    until: (matches, from = 0) => settled(() => (error ? undefined : seen.slice(from).find(matches))),
  };
};

const ofDocument = (document: firestore.DocumentSnapshot): Seen => ({
  ids: document.exists() ? [document.id] : [],
  changes: [],
  data: document.exists() ? { [document.id]: document.data({ serverTimestamps: 'estimate' }) } : {},
  isFromCache: document.metadata.fromCache,
  isPending: document.metadata.hasPendingWrites,
});

const ofQuery = (snapshot: firestore.QuerySnapshot): Seen => ({
  ids: snapshot.docs.map(({ id }) => id),
  changes: snapshot.docChanges().map(({ type, doc }) => `${type} ${doc.id}`),
  data: Object.fromEntries(snapshot.docs.map((doc) => [doc.id, doc.data({ serverTimestamps: 'estimate' })])),
  isFromCache: snapshot.metadata.fromCache,
  isPending: snapshot.metadata.hasPendingWrites,
});

const web = { ...firestore, open, record, close: deleteApp, kept: {} as Record<string, Recording> };
export type Web = typeof web;
Object.assign(globalThis, { web });

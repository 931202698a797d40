/** Writes the demo's documents with the official client. */
import type { Firestore } from '@google-cloud/firestore';
import { isGeoPoint, isList, isTimestamp, Ref, type SeedValue } from '../engines/firestore/seed/plain-values.ts';
import { seedDocuments } from '../engines/firestore/seed/seed-documents.ts';

/** The most writes in one commit. */
const batchSize = 500;

export const demoSource = 'demo-project';

/** Writes the first `count` seed documents into the default database of the demo's project. */
export const writeDemoDocuments = async (address: string, count: number): Promise<void> => {
  const projectId = demoSource;
  // Without this the client searches for a Google metadata server.
  process.env.METADATA_SERVER_DETECTION ??= 'none';
  // Imported lazily: only the first start of a stage needs it.
  const official = await import('@google-cloud/firestore');
  const firestore = new official.Firestore({ projectId, host: address, ssl: false });
  try {
    let batch = firestore.batch();
    let written = 0;
    for (const { path, fields } of seedDocuments({ projectId, databaseId: '(default)' }, count)) {
      batch.set(firestore.doc(path), nativeMap(fields, firestore, official));
      written += 1;
      if (written % batchSize !== 0 && written < count) continue;
      await batch.commit();
      batch = firestore.batch();
    }
  } finally {
    await firestore.terminate();
  }
};

type Official = typeof import('@google-cloud/firestore');

const nativeMap = (fields: Readonly<Record<string, SeedValue>>, firestore: Firestore, official: Official) =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, nativeOf(value, firestore, official)]));

/** Converts a seed value to a value of the official client. */
const nativeOf = (value: SeedValue, firestore: Firestore, official: Official): unknown => {
  if (value === null || typeof value !== 'object') return value;
  if (value instanceof Uint8Array) return Buffer.from(value);
  if (value instanceof Ref) return firestore.doc(value.name.split('/documents/')[1] ?? '');
  if (isList(value)) return value.map((one) => nativeOf(one, firestore, official));
  if (isTimestamp(value)) return new official.Timestamp(Number(value.seconds), value.nanos);
  if (isGeoPoint(value)) return new official.GeoPoint(value.latitude, value.longitude);
  if ('__type__' in value) return official.FieldValue.vector((value as unknown as { value: number[] }).value);
  return nativeMap(value as Readonly<Record<string, SeedValue>>, firestore, official);
};

/** Exports a whole database into a file, as the tool's documentation shows, and reports the number of documents. */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const [, , tool, project, file] = process.argv;
const require = createRequire(import.meta.url);

const tools = {
  'firestore-export-import': async () => {
    const { initializeApp } = await import('firebase-admin/app');
    const { getFirestore } = await import('firebase-admin/firestore');
    const { backups } = await import('firestore-export-import');
    initializeApp({ projectId: project });
    const data = await backups(getFirestore());
    writeFileSync(file, JSON.stringify(data));
    return countNested(data, 'subCollection');
  },
  'node-firestore-import-export': async () => {
    const inner = createRequire(require.resolve('node-firestore-import-export'));
    const admin = inner('firebase-admin');
    const { firestoreExport } = require('node-firestore-import-export');
    admin.initializeApp({ projectId: project });
    const firestore = admin.firestore();
    // Its client asks for 2^32 - 1 documents a page, which is -1 in the protocol's 32 bits.
    const request = firestore.request.bind(firestore);
    firestore.request = (method, message, ...more) =>
      request(method, message.pageSize > 65_535 ? { ...message, pageSize: 65_535 } : message, ...more);
    const data = await firestoreExport(firestore);
    writeFileSync(file, JSON.stringify(data));
    return countDocuments(data);
  },
  'firestore-backfire': async () => {
    const { dataSourceFactory, exportFirestoreData } = require('firestore-backfire');
    const writer = await dataSourceFactory.createWriter(file, {});
    await exportFirestoreData({ project, emulator: process.env.FIRESTORE_EMULATOR_HOST }, writer, {
      quiet: true,
      overwrite: true,
    });
    return readFileSync(file, 'utf8').split('\n').filter(Boolean).length;
  },
};

/** `{collection: {id: {…, subCollection: {'path/of/it': {id: …}}}}}` */
const countNested = (collections, below) =>
  Object.values(collections).reduce(
    (sum, documents) =>
      sum + Object.values(documents).reduce((inner, document) => inner + 1 + countNested(document[below] ?? {}, below), 0),
    0,
  );
/** `{__collections__: {collection: {id: {…, __collections__: {…}}}}}` */
const countDocuments = (data) =>
  Object.values(data.__collections__ ?? {}).reduce(
    (sum, documents) => sum + Object.values(documents).reduce((inner, document) => inner + 1 + countDocuments(document), 0),
    0,
  );

const cpu = process.cpuUsage();
const started = performance.now();
const documents = await tools[tool]();
const { user, system } = process.cpuUsage(cpu);
process.send({
  documents,
  bytes: 0,
  stored: statSync(file).size,
  seconds: (performance.now() - started) / 1_000,
  cpuSeconds: (user + system) / 1e6,
  peakMib: process.resourceUsage().maxRSS / 1024,
});
process.exit(0);

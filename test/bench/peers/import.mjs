/** Imports a file, written by the tool's own export, into an empty database, as the tool's documentation shows. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const [, , tool, project, file] = process.argv;
const require = createRequire(import.meta.url);

const tools = {
  'firestore-export-import': async () => {
    const { initializeApp } = await import('firebase-admin/app');
    const { getFirestore } = await import('firebase-admin/firestore');
    const { restore } = await import('firestore-export-import');
    initializeApp({ projectId: project });
    const firestore = getFirestore();
    return () => restore(firestore, file, { showLogs: false });
  },
  'node-firestore-import-export': async () => {
    const inner = createRequire(require.resolve('node-firestore-import-export'));
    const admin = inner('firebase-admin');
    const { firestoreImport } = require('node-firestore-import-export');
    admin.initializeApp({ projectId: project });
    const firestore = admin.firestore();
    return () => firestoreImport(JSON.parse(readFileSync(file, 'utf8')), firestore);
  },
  'firestore-backfire': async () => {
    const { dataSourceFactory, importFirestoreData } = require('firestore-backfire');
    const reader = await dataSourceFactory.createReader(file, {});
    const connection = { project, emulator: process.env.FIRESTORE_EMULATOR_HOST };
    return () => importFirestoreData(connection, reader, { quiet: true, mode: 'overwrite' });
  },
};

const run = await tools[tool]();
const cpu = process.cpuUsage();
const started = performance.now();
await run();
const { user, system } = process.cpuUsage(cpu);
process.send({
  seconds: (performance.now() - started) / 1_000,
  cpuSeconds: (user + system) / 1e6,
  peakMib: process.resourceUsage().maxRSS / 1024,
});
process.exit(0);

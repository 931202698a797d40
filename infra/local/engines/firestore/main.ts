import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type Firestore, startFirestore } from './index.ts';
import { seed } from './seed/seed-documents.ts';

const usage = `npm run firestore -- [--port N] [--host H] [--dir FOLDER | --memory] [--indexes FILE]
                         [--seed N] [--project ID] [--database ID]

  --port      port to listen on; default: FIRESTORE_PORT, or 8080
  --host      a loopback address; default: 127.0.0.1
  --dir       folder of the documents; default: LOCAL_DIR, or .local
  --memory    store nothing on disk
  --indexes   a firestore.indexes.json: queries without one of its indexes fail, as in production; default: FIRESTORE_INDEXES
  --seed      create this many realistic documents in --project (demo) and --database ((default))`;

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: process.env.FIRESTORE_PORT ?? '8080' },
    host: { type: 'string', default: '127.0.0.1' },
    dir: { type: 'string', default: process.env.LOCAL_DIR ?? '.local' },
    memory: { type: 'boolean', default: false },
    indexes: { type: 'string', default: process.env.FIRESTORE_INDEXES ?? '' },
    seed: { type: 'string' },
    project: { type: 'string', default: 'demo' },
    database: { type: 'string', default: '(default)' },
    help: { type: 'boolean', default: false },
  },
});

const whole = (text: string, flag: string): number => {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  console.error(`--${flag} must be a whole number, not "${text}"`);
  process.exit(2);
};

if (values.help) {
  console.log(usage);
  process.exit(0);
}
const port = whole(values.port, 'port');
const start = async (): Promise<Firestore> =>
  startFirestore({
    port,
    host: values.host,
    ...(!values.memory && { dir: values.dir }),
    ...(values.indexes !== '' && { indexes: readFileSync(values.indexes, 'utf8') }),
  });
const server = await start().catch((error: NodeJS.ErrnoException) => {
  console.error(
    error.code === 'EADDRINUSE' ? `port ${port} is in use (choose another with FIRESTORE_PORT or --port)` : error.message,
  );
  process.exit(1);
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void server.stop().then(() => process.exit(0)));

if (values.seed !== undefined) {
  const count = whole(values.seed, 'seed');
  const name = { projectId: values.project, databaseId: values.database };
  const started = performance.now();
  await seed(server.databases, { name, count });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`seeded ${count} documents in projects/${values.project}/databases/${values.database} in ${seconds} s`);
}
console.log(`ready ${server.url}  (FIRESTORE_EMULATOR_HOST=${server.address})`);

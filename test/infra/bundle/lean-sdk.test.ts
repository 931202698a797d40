/** Clients that are bundled without the classes of plain errors throw what the unchanged clients throw. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, test } from 'vitest';
import { leanSdk, withoutPlainErrors } from '../../../infra/bundle/lean-sdk.ts';

const require = createRequire(import.meta.url);
const root = fileURLToPath(new URL('../../..', import.meta.url));

/** A call of each client whose errors are changed, with a command that functions send. */
const calls = {
  dynamodb: `c.send(new m.TransactWriteItemsCommand({ TransactItems: [] }))`,
  kms: `c.send(new m.GetPublicKeyCommand({ KeyId: 'k' }))`,
  'secrets-manager': `c.send(new m.GetSecretValueCommand({ SecretId: 's' }))`,
  sfn: `c.send(new m.StartExecutionCommand({ stateMachineArn: 'a' }))`,
  scheduler: `c.send(new m.GetScheduleCommand({ Name: 'n' }))`,
  sesv2: `c.send(new m.SendEmailCommand({ Content: {} }))`,
} as const;
const clientNames = {
  dynamodb: 'DynamoDBClient',
  kms: 'KMSClient',
  'secrets-manager': 'SecretsManagerClient',
  sfn: 'SFNClient',
  scheduler: 'SchedulerClient',
  sesv2: 'SESv2Client',
} as const;
type Service = keyof typeof calls;
type Send = (endpoint: string) => Promise<unknown>;

let failure: { readonly status: number; readonly code: string };
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    response.writeHead(failure.status, { 'x-amzn-errortype': failure.code, 'x-amzn-requestid': 'r' });
    response.end(
      JSON.stringify({
        __type: `com.amazonaws.service#${failure.code}`,
        message: 'why',
        CancellationReasons: [{ Code: 'None' }],
      }),
    );
  });
});
await once(server.listen(0, '127.0.0.1'), 'listening');
const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const outdir = mkdtempSync(join(tmpdir(), 'lean-sdk-'));
afterAll(() => {
  server.close().closeAllConnections();
  rmSync(outdir, { recursive: true });
});

const programOf = (service: Service): string => `import * as m from '@aws-sdk/client-${service}';
export const send = (endpoint) => {
  const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
  const c = new m.${clientNames[service]}({ endpoint, region: 'eu-central-1', credentials, maxAttempts: 1 });
  return ${calls[service]}.finally(() => c.destroy());
};`;

const load = async (service: Service, isLean: boolean): Promise<Send> => {
  const outfile = join(outdir, `${service}-${isLean}.cjs`);
  await build({
    stdin: { contents: programOf(service), resolveDir: root },
    ...{ outfile, bundle: true, format: 'cjs', platform: 'node', target: 'node24', mainFields: ['module', 'main'] },
    ...{ logLevel: 'error', plugins: isLean ? [leanSdk] : [] },
  });
  return (require(outfile) as { send: Send }).send;
};

/** What functions, the retry strategy and the log use of an error. */
const thrownBy = async (send: Send): Promise<Readonly<Record<string, unknown>>> => {
  const error = (await send(endpoint).then(
    () => ok(false, 'the call succeeded'),
    (thrown: unknown) => thrown,
  )) as Error & Readonly<Record<string, unknown>>;
  const { name, message, $fault, $metadata, $retryable, CancellationReasons } = error;
  return { name, message, $fault, $metadata, $retryable, CancellationReasons, isError: error instanceof Error };
};

const sourceOf = (service: Service, file: string): string =>
  readFileSync(join(root, `node_modules/@aws-sdk/client-${service}/dist-es/${file}`), 'utf8');
const schemasOf = (service: Service): string => sourceOf(service, 'schemas/schemas_0.js');
const keptIn = (service: Service): readonly string[] =>
  registered(withoutPlainErrors(schemasOf(service), sourceOf(service, 'models/errors.js')));
const registered = (source: string): readonly string[] =>
  [...source.matchAll(/n0_registry\.registerError\(\w+\$, (\w+)\)/g)].map(([, name = '']) => name);

for (const service of Object.keys(calls) as Service[])
  test(`client-${service}: every error has the same name, message, fault and fields as without the plugin`, async () => {
    const [plain, lean] = [await load(service, false), await load(service, true)];
    const names = registered(schemasOf(service));
    ok(names.length > keptIn(service).length, 'the plugin left out no class');
    const compared = new Set<string>();
    for (const code of [...names, 'SomethingNew'])
      for (const status of [400, 500]) {
        failure = { code, status };
        const expected = await thrownBy(plain);
        equal(expected.name, code);
        // Every error is of the client or of the server, and has a status that says so.
        if (expected.$fault !== (status < 500 ? 'client' : 'server')) continue;
        deepEqual(await thrownBy(lean), expected);
        compared.add(code);
      }
    equal(compared.size, names.length + 1);
  });

test('withoutPlainErrors: errors with other fields than a message, or that may be retried, keep their classes', () =>
  deepEqual(keptIn('dynamodb'), [
    'ConditionalCheckFailedException',
    'ProvisionedThroughputExceededException',
    'ReplicatedWriteConflictException',
    'RequestLimitExceeded',
    'ThrottlingException',
    'TransactionCanceledException',
  ]));

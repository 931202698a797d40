/** Runs the verification examples of shared/webhook/README.md, which the API docs also show, and those in other languages. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, test } from 'vitest';
import { postGuarded } from '../../../../shared/platform/index.ts';
import { composeRequest } from '../../../../shared/webhook/request/compose-request.ts';
import type { OpenSecrets } from '../../../../shared/webhook/request/message-types.ts';
import { sampleEvent } from '../../../../shared/webhook/sample/sample-event.ts';
import { firstAttempt } from '../../../harness/builders/sample-webhook.ts';

process.env.SERVICE_VERSION = '0.0.0';
const root = fileURLToPath(new URL('../../../..', import.meta.url));
const dir = mkdtempSync(join(tmpdir(), 'verify-'));
afterAll(() => rmSync(dir, { recursive: true }));

const readme = readFileSync(join(root, 'shared/webhook/README.md'), 'utf8');
const save = (name: string): string => {
  const block = [...readme.matchAll(/^```(?:ts|python)\n([\s\S]*?)^```$/gm)].find(([, code]) =>
    code?.slice(0, 40).includes(name),
  );
  assert.ok(block, `the guide has no ${name}`);
  const path = join(dir, name);
  writeFileSync(path, block[1]!);
  return path;
};

type Verify = (secret: string, headers: Record<string, string>, body: Uint8Array, nowSeconds?: number) => boolean;
const { verifyStandard, verifySimple } = (await import(save('verify.ts'))) as { verifyStandard: Verify; verifySimple: Verify };
const receiver = save('receiver.ts');
const python = save('verify.py');

const signedAt = new Date('2026-11-15T12:00:00.000Z');
const sentSeconds = signedAt.getTime() / 1_000;
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwAAAAAAAAAAA=';
const name = 'Zoë </script>\u2028 and sons';

const request = (format: 'standard' | 'simple', secrets: Partial<OpenSecrets> = {}, sentAt = signedAt) => {
  const webhook = { id: 'whk_01JZ8Q4V0M6T3X9C2B7N5K1HRD', format, url: 'https://example.com/hook' } as const;
  const event = sampleEvent('backup.completed', { id: 'org_01JZ8Q4V0M6T3X9C2B7N5K1HRD', name }, sentAt);
  const attempt = firstAttempt(sentAt);
  const { headers, body } = composeRequest(webhook, {
    secrets: { secret, previous: undefined, headers: {}, ...secrets },
    event,
    attempt,
  });
  const lower = Object.fromEntries(Object.entries(headers).map(([key, value]) => [key.toLowerCase(), value]));
  return { headers: lower, body: Buffer.from(body) };
};

interface Case {
  readonly says: string;
  readonly expected: boolean;
  readonly format: 'standard' | 'simple';
  readonly secret: string;
  readonly headers: Record<string, string>;
  readonly body: Buffer;
  readonly now: number;
}
const standard = request('standard');
const rotating = request('standard', { secret: 'the new secret', previous: secret });
const simple = request('simple');
const simpleRotating = request('simple', { secret: 'the new secret', previous: secret });
const base = { format: 'standard', secret, now: sentSeconds, ...standard } as const;
const tampered = Buffer.from(standard.body.toString().replace('completed', 'complEted'));
const cases: readonly Case[] = [
  { ...base, says: 'a request as sent', expected: true },
  { ...base, says: 'a timestamp 299 s in the past', expected: true, now: sentSeconds + 299 },
  { ...base, says: 'a timestamp 299 s in the future', expected: true, now: sentSeconds - 299 },
  { ...base, says: 'a timestamp 301 s in the past', expected: false, now: sentSeconds + 301 },
  { ...base, says: 'a timestamp 301 s in the future', expected: false, now: sentSeconds - 301 },
  { ...base, says: 'another body', expected: false, body: tampered },
  { ...base, says: 'another secret', expected: false, secret: `${secret}x` },
  { ...base, says: 'an invalid timestamp', expected: false, headers: { ...standard.headers, 'x-service-timestamp': 'NaN' } },
  {
    ...base,
    says: 'no timestamp',
    expected: false,
    headers: { 'x-service-signature': standard.headers['x-service-signature']! },
  },
  {
    ...base,
    says: 'a timestamp other than the signed one',
    expected: false,
    headers: { ...standard.headers, 'x-service-timestamp': String(sentSeconds + 1) },
  },
  {
    ...base,
    says: 'a signature of another length',
    expected: false,
    headers: { ...standard.headers, 'x-service-signature': 'sha256=00' },
  },
  {
    ...base,
    says: 'no signature',
    expected: false,
    headers: { 'x-service-timestamp': standard.headers['x-service-timestamp']! },
  },
  { ...base, ...rotating, says: 'the old secret during a rotation', expected: true },
  { ...base, ...rotating, says: 'the new secret during a rotation', expected: true, secret: 'the new secret' },
  { ...base, ...simple, says: 'a simple request', expected: true, format: 'simple' },
  { ...base, ...simple, says: 'a simple request with another body', expected: false, format: 'simple', body: tampered },
  { ...base, ...simple, says: 'a simple request without a signature', expected: false, format: 'simple', headers: {} },
  { ...base, ...simpleRotating, says: 'a simple request with the old secret in a rotation', expected: true, format: 'simple' },
];

describe('README verifier in TypeScript', () => {
  for (const one of cases)
    test(`${one.expected ? 'accepts' : 'refuses'} ${one.says}`, () =>
      assert.equal(
        one.format === 'simple'
          ? verifySimple(one.secret, one.headers, one.body)
          : verifyStandard(one.secret, one.headers, one.body, one.now),
        one.expected,
      ));
});

test('README verifier: an empty secret throws', () => {
  assert.throws(() => verifyStandard('', standard.headers, standard.body, sentSeconds), /no secret/);
  assert.throws(() => verifySimple('', simple.headers, simple.body), /no secret/);
});

const hasPython = spawnSync('python3', ['--version']).status === 0;
test('README verifier: Python accepts and refuses the same requests', { skip: !hasPython }, () => {
  const program = `
import importlib.util, json, sys, base64
spec = importlib.util.spec_from_file_location("verify", sys.argv[1])
verify = importlib.util.module_from_spec(spec)
spec.loader.exec_module(verify)
def judge(c):
    body = base64.b64decode(c["body"])
    if c["format"] == "simple":
        return verify.verify_simple(c["secret"], c["headers"], body)
    return verify.verify_standard(c["secret"], c["headers"], body, c["now"])
print(json.dumps([judge(c) for c in json.load(sys.stdin)]))
`;
  const input = JSON.stringify(cases.map((one) => ({ ...one, body: one.body.toString('base64') })));
  const { stdout, stderr } = spawnSync('python3', ['-c', program, python], { input, encoding: 'utf8' });
  assert.equal(stderr, '');
  assert.deepEqual(
    (JSON.parse(stdout) as boolean[]).map((verdict, n) => `${cases[n]?.says}: ${verdict}`),
    cases.map(({ says, expected }) => `${says}: ${expected}`),
  );
});

const inputOf = (given: readonly Case[]): string =>
  JSON.stringify(given.map((one) => ({ ...one, body: one.body.toString('base64') })));
const standardCases = cases.filter(({ format }) => format === 'standard');
const samples = join(root, 'functions/console/app/pages/docs/samples');

test('API docs: the verifiers in TypeScript and Python are those of the guide', () => {
  for (const name of ['verify.ts', 'verify.py']) assert.ok(readme.includes(readFileSync(join(samples, name), 'utf8')), name);
});

const judgedBy = (command: string, args: readonly string[], cwd: string): readonly string[] => {
  const { stdout, stderr, status } = spawnSync(command, args, { cwd, input: inputOf(standardCases), encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  return stdout
    .trim()
    .split('\n')
    .map((verdict, n) => `${standardCases[n]?.says}: ${verdict}`);
};
const expectedVerdicts = standardCases.map(({ says, expected }) => `${says}: ${expected}`);

/** Compilers take a minute: only with TEST_SAMPLES=1. */
const isThorough = process.env.TEST_SAMPLES === '1';
const hasGo = spawnSync('go', ['version']).status === 0;
test('API docs: the verifier in Go accepts and refuses the same requests', {
  skip: !hasGo || !isThorough,
  timeout: 300_000,
}, () => {
  const module = mkdtempSync(join(dir, 'go-'));
  writeFileSync(join(module, 'go.mod'), 'module webhook\n\ngo 1.20\n');
  writeFileSync(
    join(module, 'verify.go'),
    readFileSync(join(samples, 'verify.go'), 'utf8').replace('package webhook', 'package main'),
  );
  writeFileSync(
    join(module, 'main.go'),
    `package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"time"
)

func main() {
	var cases []struct {
		Secret  string
		Headers map[string]string
		Body    []byte
		Now     int64
	}
	if err := json.NewDecoder(os.Stdin).Decode(&cases); err != nil {
		panic(err)
	}
	for _, one := range cases {
		header := http.Header{}
		for name, value := range one.Headers {
			header.Set(name, value)
		}
		fmt.Println(VerifyStandard(one.Secret, header, one.Body, time.Unix(one.Now, 0)))
	}
}
`,
  );
  assert.deepEqual(judgedBy('go', ['run', '.'], module), expectedVerdicts);
});

const hasJava = spawnSync('java', ['--version']).status === 0;
test('API docs: the verifier in Java accepts and refuses the same requests', {
  skip: !hasJava || !isThorough,
  timeout: 300_000,
}, () => {
  const folder = mkdtempSync(join(dir, 'java-'));
  // One file that Java compiles and runs: the sample, with a main method that judges requests built here.
  const javaCases = standardCases.map(({ secret: key, headers, body, now }) => {
    const entries = Object.entries(headers).map(
      ([header, value]) => `Map.entry(${JSON.stringify(header)}, ${JSON.stringify(value)})`,
    );
    return `System.out.println(standard(${JSON.stringify(key)}, Map.ofEntries(${entries.join(', ')}), java.util.Base64.getDecoder().decode("${body.toString('base64')}"), ${now}L));`;
  });
  const sample = readFileSync(join(samples, 'Verify.java'), 'utf8');
  const end = sample.lastIndexOf('}');
  const main = `  public static void main(String[] args) throws Exception {\n${javaCases.join('\n')}\n  }\n`;
  writeFileSync(join(folder, 'Verify.java'), `${sample.slice(0, end)}${main}${sample.slice(end)}`);
  assert.deepEqual(judgedBy('java', ['Verify.java'], folder), expectedVerdicts);
});

test('README receiver: a signed request is processed once, others are refused', async () => {
  // The default port may be in use.
  const free = createServer().listen(0);
  const { port } = free.address() as AddressInfo;
  await new Promise((closed) => free.close(closed));
  const child = spawn(process.execPath, [receiver], {
    env: { ...process.env, SECRET: secret, TLS: join(root, 'test/fixture/tls'), PORT: String(port) },
  });
  let output = '';
  child.stdout.on('data', (part: Buffer) => {
    output += part;
  });
  child.stderr.on('data', (part: Buffer) => {
    output += part;
  });
  try {
    while (!output.includes('waiting')) {
      assert.equal(child.exitCode, null, output);
      await new Promise((done) => setTimeout(done, 20));
    }
    const { headers, body } = request('standard', {}, new Date());
    const post = async (sent: string): Promise<number | string> => {
      const url = `https://localhost:${port}/hook`;
      const outcome = await postGuarded({ url, headers, body: sent, timeoutMs: 60_000, trusted: ['localhost'] });
      return outcome.kind === 'answered' ? outcome.status : outcome.reason;
    };
    const text = body.toString();
    assert.deepEqual([await post(text), await post(text), await post(`${text} `)], [204, 204, 401]);
    // An aborted request does not stop the receiver.
    const rude = connect({ port, host: 'localhost', rejectUnauthorized: false });
    await new Promise<void>((done) => {
      rude.once('secureConnect', () => rude.end('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\nx', done));
    });
    rude.destroy();
    // An unsigned header is not used to detect duplicates.
    headers['x-service-delivery-id'] = 'dlv_another';
    assert.equal(await post(text), 204);
    assert.equal(output.match(/backup\.completed dlv_01JZ8Q4V0M6T3X9C2B7N5K1HRD/g)?.length, 1);
  } finally {
    child.kill();
  }
});

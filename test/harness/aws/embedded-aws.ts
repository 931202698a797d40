/** Starts embedded AWS for a test: a front for some services, and callers with their own policies. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'vitest';
import { startAwsEndpoint } from '../../../infra/local/aws/aws-endpoint.ts';
import type { Service } from '../../../infra/local/base/aws-service.ts';
import { type Principal, type Resource, rootAccessKeyId, type Statement } from '../../../infra/local/base/types.ts';
import { makePolicyGuard, type PolicyGuard } from '../../../infra/local/iam/policy-guard.ts';

export const region = 'eu-central-1';
export const account = '111122223333';

export const tempDir = (t: Pick<TestContext, 'onTestFinished'>): string => {
  const dir = mkdtempSync(join(tmpdir(), 'aws-'));
  t.onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
};

export const allow = (action: string, resource: string, condition?: Statement['Condition']): Statement => ({
  Effect: 'Allow',
  Action: [action],
  Resource: [resource],
  ...(condition && { Condition: condition }),
});

export const deny = (action: string, resource: string, condition?: Statement['Condition']): Statement => ({
  ...allow(action, resource, condition),
  Effect: 'Deny',
});

export const resource = (
  type: string,
  {
    name,
    properties,
    arn = '',
  }: { readonly name: string; readonly properties: Resource['properties']; readonly arn?: string | undefined },
): Resource => ({
  logicalId: name,
  type,
  name,
  arn,
  properties,
});

/** The configuration of an SDK client. Without a name it is that of the stage. */
export const clientAt = (url: string, accessKeyId = rootAccessKeyId) => ({
  endpoint: url,
  region,
  credentials: { accessKeyId, secretAccessKey: 'local' },
  maxAttempts: 1,
});

/** A front with these callers and their policy statements. The name is the access key. */
export const frontOf = async (
  t: Pick<TestContext, 'onTestFinished'>,
  {
    services,
    callers = {},
    guard = makePolicyGuard(),
  }: {
    readonly services: Readonly<Record<string, Service>>;
    readonly callers?: Readonly<Record<string, readonly Statement[]>> | undefined;
    readonly guard?: PolicyGuard | undefined;
  },
) => {
  const front = await startAwsEndpoint({ services, guard, principal: principalOf(callers) });
  t.onTestFinished(() => front.stop());
  return { url: front.url, used: guard.used, client: (accessKeyId?: string) => clientAt(front.url, accessKeyId) };
};

export const principalOf =
  (callers: Readonly<Record<string, readonly Statement[]>>) =>
  (accessKeyId: string): Principal | undefined => {
    const statements = callers[accessKeyId];
    return statements && { name: accessKeyId, statements };
  };

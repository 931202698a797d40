/** Data resources outlive deployments. */
import assert from 'node:assert/strict';
import { describe, test } from 'vitest';
import { dataResourcesOf, type Resource, resourcesOf, settings, statementsOf, templatesOf } from '../harness/law/templates.ts';

const templates = templatesOf();
const resources = resourcesOf(templates).filter(({ stack }) => stack === 'Data');
const ofType = (type: string, among: readonly Resource[] = resources) => among.filter((resource) => resource.type === type);
const only = (type: string, among?: readonly Resource[]): Resource => {
  const found = ofType(type, among);
  assert.equal(found.length, 1, type);
  return found[0]!;
};

test('data stack: the table has point-in-time recovery of 35 days, deletion protection, and is retained', () => {
  const { properties, deletionPolicy } = only('AWS::DynamoDB::Table');
  assert.deepEqual(properties.PointInTimeRecoverySpecification, { PointInTimeRecoveryEnabled: true, RecoveryPeriodInDays: 35 });
  assert.equal(properties.DeletionProtectionEnabled, true);
  assert.equal(deletionPolicy, 'Retain');
});

test('data stack: the table is on demand, keyed by pk and sk, with a stream and time to live', () => {
  const { properties } = only('AWS::DynamoDB::Table');
  assert.equal(properties.BillingMode, 'PAY_PER_REQUEST');
  assert.deepEqual(properties.KeySchema, [
    { AttributeName: 'pk', KeyType: 'HASH' },
    { AttributeName: 'sk', KeyType: 'RANGE' },
  ]);
  assert.deepEqual(properties.StreamSpecification, { StreamViewType: 'NEW_IMAGE' });
  assert.deepEqual(properties.TimeToLiveSpecification, { AttributeName: 'ttl', Enabled: true });
});

test('data stack: every symmetric key rotates automatically', () => {
  for (const { id, properties } of ofType('AWS::KMS::Key'))
    assert.ok(properties.KeyUsage === 'SIGN_VERIFY' || properties.EnableKeyRotation === true, id);
});

describe('regions of the keys', () => {
  const keysOf = (context: Readonly<Record<string, string>>) =>
    Object.fromEntries(
      ofType('AWS::KMS::Key', dataResourcesOf({ ...settings, ...context })).map(({ id, properties }) => [
        id.slice(0, -8),
        properties.MultiRegion,
      ]),
    );
  const generations = {
    dataKeyGeneration: '3',
    wrappingKeyGeneration: '3',
    tokenKeyGeneration: '3',
    evidenceKeyGeneration: '3',
  };

  test('every key of a new deployment can be copied to another region', () => {
    const first = keysOf({});
    assert.deepEqual(Object.keys(first).sort(), ['DataKey', 'EvidenceKey', 'SecretsKey', 'TokenKey1']);
    for (const multiRegion of Object.values({ ...first, ...keysOf(generations) })) assert.equal(multiRegion, true);
  });

  // A changed property would make CloudFormation refuse the update; a changed id would make another key.
  test('a deployment from before keeps its keys, signing keys of every generation too; later data keys can be copied', () => {
    const before = { DataKey: undefined, EvidenceKey: undefined, SecretsKey: undefined, TokenKey1: undefined };
    assert.deepEqual(keysOf({ singleRegionKeys: 'true' }), before);
    assert.deepEqual(keysOf({ singleRegionKeys: 'true', ...generations }), {
      ...before,
      DataKey2: true,
      DataKey3: true,
      EvidenceKey2: undefined,
      EvidenceKey3: undefined,
      TokenKey2: undefined,
      TokenKey3: undefined,
    });
  });

  // Functions are updated one after the other: each must be able to open what another one has wrapped already.
  const wrapping = { '1': 'DataKey', '2': 'DataKey2' } as const;
  test.each(['1', '2'] as const)('of two data keys generation %s wraps, and every function that unwraps can use both', (use) => {
    const all = resourcesOf(templatesOf({ ...settings, dataKeyGeneration: '2', wrappingKeyGeneration: use }));
    const functions = ofType('AWS::Lambda::Function', all).flatMap(({ properties }) => {
      const { DATA_KEY_ID } = (properties.Environment as { Variables: Record<string, unknown> } | undefined)?.Variables ?? {};
      return DATA_KEY_ID === undefined ? [] : [JSON.stringify(DATA_KEY_ID)];
    });
    assert.ok(functions.length > 10);
    for (const variable of functions) assert.match(variable, new RegExp(`${wrapping[use]}[0-9A-F]{8}Arn`));
    const statements = ofType('AWS::IAM::Role', all).flatMap(statementsOf);
    const using = (action: string) =>
      statements
        .filter(({ Action }) => Action.includes(action))
        .map(({ Resource }) =>
          JSON.stringify(Resource)
            .match(/DataKey2?(?=[0-9A-F]{8}Arn)/g)
            ?.sort()
            .join(' '),
        )
        .filter((names) => names !== undefined);
    assert.deepEqual([...new Set(using('kms:Decrypt'))], ['DataKey DataKey2']);
    assert.deepEqual([...new Set(using('kms:GenerateDataKey'))], [wrapping[use]]);
  });
});

test('data stack: secrets are generated, 64 characters long, and encrypted with a customer-managed key', () => {
  for (const { id, properties } of ofType('AWS::SecretsManager::Secret')) {
    assert.equal((properties.GenerateSecretString as { PasswordLength: number }).PasswordLength, 64, id);
    assert.equal(properties.SecretString, undefined, id);
    assert.ok(properties.KmsKeyId, id);
  }
});

describe('signing key', () => {
  const previous = 'arn:aws:kms:eu-west-1:123456789012:key/previous';
  const rotated = resourcesOf(templatesOf({ ...settings, tokenKeyGeneration: '2', previousTokenKeyArns: previous }));
  const variable = (among: readonly Resource[]) => {
    const jwks = among.find(({ properties }) => properties.Handler === 'index.jwks')!;
    return JSON.stringify((jwks.properties.Environment as { Variables: Record<string, unknown> }).Variables.TOKEN_KEY_IDS);
  };

  test('a new generation signs, and earlier ones stay in the stack', () => {
    const ids = ofType('AWS::KMS::Key', rotated)
      .map(({ id }) => id)
      .filter((id) => id.startsWith('TokenKey'));
    assert.equal(ids.length, 2);
    assert.match(variable(rotated), new RegExp(ids.find((id) => id.startsWith('TokenKey2')) ?? 'absent'));
  });

  test('a previous key is accepted after the signing key', () => assert.match(variable(rotated), new RegExp(`,${previous}`)));
});

describe('address', () => {
  const certificateArn = 'arn:aws:acm:eu-west-1:123456789012:certificate/1';
  const own = resourcesOf(templatesOf({ ...settings, domainName: 'api.example.com', certificateArn }));

  test('data stack: browsers may call from the configured origins only, with cookies', () => {
    const cors = only('AWS::ApiGatewayV2::Api').properties.CorsConfiguration as Record<string, unknown>;
    assert.deepEqual(cors.AllowOrigins, ['https://app.example.com']);
    assert.equal(cors.AllowCredentials, true);
    assert.ok(!JSON.stringify(cors).includes('*'));
  });

  test('data stack: without origins no browser may call', () => {
    const closed = dataResourcesOf({ ...settings, allowedOrigins: '' });
    assert.equal(only('AWS::ApiGatewayV2::Api', closed).properties.CorsConfiguration, undefined);
  });

  test('data stack: a custom domain is the only address and the one in links and tokens', () => {
    assert.equal(only('AWS::ApiGatewayV2::Api', own).properties.DisableExecuteApiEndpoint, true);
    assert.equal(only('AWS::ApiGatewayV2::DomainName', own).properties.DomainName, 'api.example.com');
    for (const fn of ofType('AWS::Lambda::Function', own)) {
      const { PUBLIC_URL = 'https://api.example.com' } =
        (fn.properties.Environment as { Variables: Record<string, unknown> } | undefined)?.Variables ?? {};
      assert.equal(PUBLIC_URL, 'https://api.example.com', fn.id);
    }
  });
});

describe('evidence key', () => {
  const among = (context: Readonly<Record<string, string>>) => resourcesOf(templatesOf({ ...settings, ...context }));
  /** The logical ids of the published keys, in order. */
  const published = (resources: readonly Resource[]): readonly string[] => {
    const variables = ofType('AWS::Lambda::Function', resources).map(
      ({ properties }) => (properties.Environment as { Variables: Record<string, unknown> } | undefined)?.Variables ?? {},
    );
    const variable = variables.find((each) => 'EVIDENCE_KEY_IDS' in each)?.EVIDENCE_KEY_IDS ?? '';
    return JSON.stringify(variable).match(/EvidenceKey\d?(?=[0-9A-F]{8}Arn)/g) ?? [];
  };

  test('the first generation keeps its name, so that deployments keep their key', () =>
    assert.deepEqual(published(among({})), ['EvidenceKey']));

  test('a new generation signs, earlier ones stay published unless they are withdrawn', () => {
    assert.deepEqual(published(among({ evidenceKeyGeneration: '3' })), ['EvidenceKey3', 'EvidenceKey2', 'EvidenceKey']);
    const withdrawn = { evidenceKeyGeneration: '3', withdrawnEvidenceKeyGenerations: '2' };
    assert.deepEqual(published(among(withdrawn)), ['EvidenceKey3', 'EvidenceKey']);
  });
});

describe('data stack: a later deployment removes no export that other stacks import', () => {
  const exportsOf = (context: Readonly<Record<string, unknown>>) =>
    Object.keys(templatesOf(context).get('Data')?.Outputs ?? {}).filter((name) => name.startsWith('ExportsOutput'));
  const before = exportsOf(settings);
  const stream = 'arn:aws:dynamodb:eu-west-1:123456789012:table/restored/stream/2030-01-01T00:00:00.000';
  const later: Record<string, Record<string, string>> = {
    'a domain': { domainName: 'api.example.com', certificateArn: 'arn:aws:acm:eu-west-1:123456789012:certificate/1' },
    'another signing key': { tokenKeyGeneration: '2' },
    'another data key': { dataKeyGeneration: '2', wrappingKeyGeneration: '1' },
    'another data key in use': { dataKeyGeneration: '2', wrappingKeyGeneration: '2' },
    'another key for evidence': { evidenceKeyGeneration: '2', withdrawnEvidenceKeyGenerations: '1' },
    'a restored table': { tableStreamArn: stream },
  };
  for (const [name, change] of Object.entries(later)) {
    test(name, () => {
      const after = exportsOf({ ...settings, ...change });
      assert.deepEqual(
        before.filter((one) => !after.includes(one)),
        [],
      );
    });
  }

  test('the functions and the stream mapping use the restored table; the original one is retained', () => {
    const restored = resourcesOf(templatesOf({ ...settings, tableStreamArn: stream }));
    only('AWS::DynamoDB::Table', restored);
    for (const { id, properties } of ofType('AWS::Lambda::Function', restored)) {
      const { TABLE_NAME = 'restored' } =
        (properties.Environment as { Variables: Record<string, unknown> } | undefined)?.Variables ?? {};
      assert.equal(TABLE_NAME, 'restored', id);
    }
    assert.ok(restored.some(({ properties }) => properties.EventSourceArn === stream));
    assert.ok(!JSON.stringify(ofType('AWS::IAM::Role', restored)).includes('TableCD117FA1'));
  });
});

describe('without any setting', () => {
  const bare = templatesOf({});

  test('CloudFormation refuses to deploy and names the missing setting', () => {
    assert.match(JSON.stringify(bare.get('Data')?.Rules), /identityClientId: must be set to/);
    assert.ok(!JSON.stringify(templates.get('Data')?.Rules ?? {}).includes('must be set to'));
  });

  test('there is no sender, and no role may send e-mail', () => {
    const roles = (from: ReturnType<typeof templatesOf>) => JSON.stringify(ofType('AWS::IAM::Role', resourcesOf(from)));
    assert.match(roles(templates), /ses:SendEmail/);
    assert.doesNotMatch(roles(bare), /ses:/);
  });
});

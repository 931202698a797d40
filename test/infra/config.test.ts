/** Invalid settings are reported by name, one line each, before synthesis. */
import assert from 'node:assert/strict';
import { describe, test } from 'vitest';
import { missingSettings, readConfig } from '../../infra/config.ts';
import { isAllowedRedirect } from '../../shared/account/index.ts';

const given = { identityClientId: 'client' };
const refusal = (context: Record<string, unknown>): string => {
  try {
    readConfig({ ...given, ...context });
  } catch (error) {
    return (error as Error).message;
  }
  return 'accepted';
};

describe('config: an invalid setting is rejected by name', () => {
  const wrong: Record<string, readonly [Record<string, unknown>, RegExp]> = {
    'a plan that does not exist': [{ plan: 'gold' }, /^ {2}plan: must be one of starter, professional, enterprise$/m],
    'retention on a plan with a fixed value': [
      { plan: 'starter', auditRetentionDays: '60' },
      /^ {2}auditRetentionDays: .* keeps 30 days$/m,
    ],
    'retention of no days': [{ auditRetentionDays: '0' }, /^ {2}auditRetentionDays: must be at least 1$/m],
    'retention that is not a number': [{ auditRetentionDays: 'long' }, /^ {2}auditRetentionDays: must be a whole number/m],
    'too many webhooks': [{ webhooksPerOrganization: '1001' }, /^ {2}webhooksPerOrganization: must be at most 1000$/m],
    'no webhooks': [{ webhooksPerOrganization: '0' }, /^ {2}webhooksPerOrganization: must be at least 1$/m],
    'an http issuer elsewhere': [{ identityIssuer: 'http://accounts.example.com' }, /^ {2}identityIssuer: must be an https URL/m],
    'an issuer that is not a URL': [{ identityIssuer: 'accounts' }, /^ {2}identityIssuer: must be an https URL/m],
    'an http redirect elsewhere': [
      { allowedRedirectUris: 'http://app.example.com/cb' },
      /^ {2}allowedRedirectUris\.0: must be an https/m,
    ],
    'a loopback look-alike': [
      { allowedRedirectUris: 'http://localhost.example.com/cb' },
      /^ {2}allowedRedirectUris\.0: must be an https/m,
    ],
    'a redirect with a fragment': [
      { allowedRedirectUris: 'https://a.example.com/#x' },
      /^ {2}allowedRedirectUris\.0: .*fragment$/m,
    ],
    'the second of two redirects': [
      { allowedRedirectUris: ['https://a.example.com/', 'javascript:alert(1)'] },
      /^ {2}allowedRedirectUris\.1: /m,
    ],
    'an origin with a path': [{ allowedOrigins: 'https://app.example.com/' }, /^ {2}allowedOrigins\.0: must be an origin/m],
    'every origin at once': [{ allowedOrigins: '*' }, /^ {2}allowedOrigins\.0: /m],
    'a sender that is not an address': [{ mailFrom: 'backups' }, /^ {2}mailFrom: must be an e-mail address$/m],
    'a second data key without the one that wraps': [
      { dataKeyGeneration: '2' },
      /^ {2}wrappingKeyGeneration: is required with dataKeyGeneration/m,
    ],
    'a data key that wraps before it exists': [
      { dataKeyGeneration: '2', wrappingKeyGeneration: '3' },
      /^ {2}wrappingKeyGeneration: must be at most dataKeyGeneration \(2\)/m,
    ],
    'an evidence key that is withdrawn while it signs': [
      { evidenceKeyGeneration: '2', withdrawnEvidenceKeyGenerations: '2' },
      /^ {2}withdrawnEvidenceKeyGenerations: must be lower than evidenceKeyGeneration \(2\)/m,
    ],
    'a domain without its certificate': [{ domainName: 'api.example.com' }, /^ {2}domainName, certificateArn: /m],
    'a domain that is a URL': [
      { domainName: 'https://api.example.com', certificateArn: 'arn:aws:acm:eu-west-1:1:certificate/x' },
      /^ {2}domainName: must be a host name/m,
    ],
    'a secret instead of its digest': [{ cloudFrontSecretDigest: 'secret' }, /^ {2}cloudFrontSecretDigest: must be a SHA-256/m],
    'CloudFront required without its secret': [
      { requireCloudFront: 'true' },
      /^ {2}requireCloudFront: needs cloudFrontSecretDigest; without a secret every request would be refused$/m,
    ],
    'a request limit of zero': [{ requestsPerMinute: '0' }, /^ {2}requestsPerMinute: must be at least 1$/m],
    'a key that is not an ARN': [{ previousTokenKeyArns: 'abc' }, /^ {2}previousTokenKeyArns\.0: must be the ARN/m],
    'a table instead of its stream': [
      { tableStreamArn: 'arn:aws:dynamodb:eu-west-1:123456789012:table/restored' },
      /^ {2}tableStreamArn: must be the ARN of a table's stream$/m,
    ],
    'a mistyped name that looks like one of the CDK': [{ 'alarm-email': 'a@b.example' }, /^ {2}alarm-email: unknown setting/m],
    'a stack name that begins with a digit': [{ stackName: '2nd' }, /^ {2}stackName: must begin with a letter/m],
    'a stack name that is too long': [{ stackName: 'a'.repeat(41) }, /^ {2}stackName: must begin with a letter/m],
    'a flag that is neither true nor false': [{ detailedMetrics: 'yes' }, /^ {2}detailedMetrics: must be true or false$/m],
    'an endpoint that does not exist': [
      { warmEndpoints: 'overview.get,overview.nothing' },
      /^ {2}warmEndpoints\.1: overview\.nothing is not an endpoint such as overview\.get/m,
    ],
    'more warm endpoints than the account can provision': [
      { warmEndpoints: 'overview.get', accountConcurrency: '100' },
      /^ {2}warmEndpoints: must be at most 0 with accountConcurrency 100/m,
    ],
    'a mistyped name': [{ allowedOrigin: 'https://app.example.com' }, /^ {2}allowedOrigin: unknown setting/m],
  };
  for (const [name, [context, line]] of Object.entries(wrong)) test(name, () => assert.match(refusal(context), line));

  test('several mistakes give one line each', () =>
    assert.equal(refusal({ plan: 'gold', requestsPerMinute: '0', nonsense: '1' }).split('\n').length, 1 + 3));
});

test('config: lists are accepted from the command line and from cdk.json', () => {
  const list = ['https://a.example.com', 'https://b.example.com'];
  assert.deepEqual(readConfig({ ...given, allowedOrigins: list.join(', ') }).allowedOrigins, list);
  assert.deepEqual(readConfig({ ...given, allowedOrigins: list }).allowedOrigins, list);
});

test('config: http is accepted for loopback addresses only', () => {
  const local = ['http://localhost:3001', 'http://127.0.0.1:3001', 'http://[::1]:3001'];
  for (const identityIssuer of local) assert.equal(readConfig({ ...given, identityIssuer }).identityIssuer, identityIssuer);
});

test("config: the CDK's own context is not a setting", () => {
  const context = {
    '@aws-cdk/core:newStyleStackSynthesis': true,
    'aws:cdk:enable-path-metadata': true,
    'availability-zones:account=1:region=eu-west-1': [],
    'acknowledged-issue-numbers': [12345],
    'cli-telemetry': false,
  };
  assert.deepEqual(readConfig({ ...given, ...context }), readConfig(given));
});

test('config: with the least settings the smoke test can sign in on the user’s machine, and no other address gets a code', () => {
  const { allowedRedirectUris } = readConfig(given);
  assert.ok(isAllowedRedirect('http://localhost:49152/callback', allowedRedirectUris));
  for (const other of ['http://localhost:49152/other', 'http://example.com/callback', 'https://localhost.example.com/callback'])
    assert.ok(!isAllowedRedirect(other, allowedRedirectUris), other);
  assert.deepEqual(readConfig({ ...given, allowedRedirectUris: [] }).allowedRedirectUris, []);
});

test('config: an empty setting counts as absent', () =>
  assert.deepEqual(readConfig({ ...given, consoleUrl: '' }), readConfig(given)));

test('config: missing settings of a deployment are listed until they are set', () => {
  assert.deepEqual(
    missingSettings(readConfig({})).map((line) => line.split(':')[0]),
    ['identityClientId'],
  );
  assert.deepEqual(missingSettings(readConfig(given)), []);
});

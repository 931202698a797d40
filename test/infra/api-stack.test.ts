/** The routes are those of the contract, the stage is throttled, and its access log has no secrets. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, test } from 'vitest';
import { isFurtherRoute } from '../../infra/further-routes-stack.ts';
import { endpoints, handlerOf } from '../../shared/contract/index.ts';
import { resourceAt, resourcesOf, settings, target, templatesOf } from '../harness/law/templates.ts';

const templates = templatesOf();
const resources = resourcesOf(templates);
const ofType = (type: string) => resources.filter((resource) => resource.type === type);
const routes = ofType('AWS::ApiGatewayV2::Route');

test('api stack: every path of an endpoint has one route, which for GET serves HEAD, too; other requests go to the fallback', () => {
  const keys = endpoints.flatMap(({ method, path, alsoPaths = [] }) =>
    [path, ...alsoPaths].map((one) => `${method === 'GET' ? 'ANY' : method} ${one}`),
  );
  assert.deepEqual(routes.map(({ properties }) => properties.RouteKey).sort(), [...keys, '$default'].sort());
});

test('api stack: routes and integrations are created in four lanes, and the stage after all of them', () => {
  for (const stack of ['Api', 'Extension']) {
    const made = resources.filter((one) => one.stack === stack && /ApiGatewayV2::(Route|Integration)$/.test(one.type));
    const ids = new Set(made.map(({ id }) => id));
    const next = new Map(
      made.flatMap(({ id, dependsOn }) => dependsOn.filter((before) => ids.has(before)).map((before) => [before, id])),
    );
    // Every resource has at most one predecessor, and no two have the same one: so they form chains.
    for (const { id, dependsOn } of made) assert.ok(dependsOn.filter((before) => ids.has(before)).length <= 1, id);
    const firsts = made.filter(({ dependsOn }) => !dependsOn.some((before) => ids.has(before)));
    assert.equal(firsts.length, 4);
    assert.equal(next.size, made.length - firsts.length);
    const [stage] = resources.filter((one) => one.stack === stack && one.type === 'AWS::ApiGatewayV2::Stage');
    const lasts = made.filter(({ id }) => !next.has(id)).map(({ id }) => id);
    if (stack === 'Api') assert.deepEqual(stage?.dependsOn.filter((id) => ids.has(id)).toSorted(), lasts.toSorted());
  }
});

test('api stack: every route invokes the function of its endpoint, and the gateway has permission to', () => {
  for (const { stack, id, properties } of routes) {
    const [, pieces] = (properties.Target as { 'Fn::Join': readonly [string, readonly unknown[]] })['Fn::Join'];
    const integration = resourceAt(resources, stack, pieces[1]);
    assert.equal(integration.properties.PayloadFormatVersion, '2.0', id);
    const fn = resourceAt(resources, stack, integration.properties.IntegrationUri);
    if (properties.RouteKey !== '$default') {
      const [method = '', at = ''] = String(properties.RouteKey).replace('ANY', 'GET').split(' ');
      const endpoint = endpoints.find((one) => one.method === method && [one.path, ...(one.alsoPaths ?? [])].includes(at));
      assert.ok(String(fn.properties.Description).startsWith(`${method} ${endpoint?.path}: `), id);
    }
    const role = resourceAt(resources, stack, integration.properties.CredentialsArn);
    assert.ok(JSON.stringify(role.properties.Policies).includes(`"${target(integration.properties.IntegrationUri)}"`), id);
  }
});

test('api stack: the stage is throttled', () => {
  const [stage] = ofType('AWS::ApiGatewayV2::Stage');
  const { ThrottlingRateLimit, ThrottlingBurstLimit } = stage!.properties.DefaultRouteSettings as Record<string, number>;
  assert.ok(ThrottlingRateLimit && ThrottlingBurstLimit);
});

test('api stack: with CloudFront every function of a route gets the digest of its secret, and others do not', () => {
  const digest = 'ab'.repeat(32);
  const behind = resourcesOf(templatesOf({ ...settings, cloudFrontSecretDigest: digest, requireCloudFront: 'true' }));
  const variables = (from: typeof resources, stacks: readonly string[]) =>
    from
      .filter(({ stack, type }) => stacks.includes(stack) && type === 'AWS::Lambda::Function')
      .map(({ properties }) => (properties.Environment as { Variables: Record<string, string> } | undefined)?.Variables ?? {});
  const ofRoutes = variables(behind, ['Api', 'Extension']);
  assert.ok(ofRoutes.length > 100);
  for (const one of ofRoutes) assert.deepEqual([one.CLOUDFRONT_SECRET_DIGEST, one.REQUIRE_CLOUDFRONT], [digest, 'true']);
  for (const one of [...variables(behind, ['Engine']), ...variables(resources, ['Api', 'Extension', 'Engine'])])
    assert.deepEqual([one.CLOUDFRONT_SECRET_DIGEST, one.REQUIRE_CLOUDFRONT], [undefined, undefined]);
});

test('api stack: metrics per route exist only if they are asked for', () => {
  const detailed = (context: Readonly<Record<string, unknown>>): unknown => {
    const stage = resourcesOf(templatesOf({ ...settings, ...context })).find(({ type }) => type === 'AWS::ApiGatewayV2::Stage');
    return (stage?.properties.DefaultRouteSettings as { DetailedMetricsEnabled?: boolean } | undefined)?.DetailedMetricsEnabled;
  };
  assert.equal(detailed({}), false);
  assert.equal(detailed({ detailedMetrics: 'true' }), true);
  assert.equal(detailed({ detailedMetrics: true }), true);
});

test('api stack: a warm endpoint is invoked through an alias with provisioned concurrency, and others are not', () => {
  assert.deepEqual(ofType('AWS::Lambda::Alias'), []);
  const warm = resourcesOf(templatesOf({ ...settings, warmEndpoints: 'overview.get,projects.list' }));
  const aliases = warm.filter(({ type }) => type === 'AWS::Lambda::Alias');
  assert.deepEqual(aliases.map(({ id }) => id).sort(), ['OverviewGetWarm', 'ProjectsListWarm']);
  for (const { id, properties } of aliases) {
    assert.deepEqual(properties.ProvisionedConcurrencyConfig, { ProvisionedConcurrentExecutions: 1 });
    const integrations = warm.filter(
      ({ type, properties: { IntegrationUri } }) =>
        type === 'AWS::ApiGatewayV2::Integration' && (IntegrationUri as { Ref?: string }).Ref === id,
    );
    assert.equal(integrations.length, 1);
    const policies = warm.filter(
      ({ type, properties: its }) => type === 'AWS::IAM::Role' && JSON.stringify(its).includes(`{"Ref":"${id}"}`),
    );
    assert.equal(policies.length, 1, 'one role of the gateway may invoke the alias');
  }
  const most = endpoints
    .filter((endpoint) => !isFurtherRoute(handlerOf(endpoint).file))
    .slice(0, 20)
    .map(({ id }) => id);
  for (const { Resources } of templatesOf({ ...settings, warmEndpoints: most }).values())
    assert.ok(Object.keys(Resources).length <= 500);
});

test('api stack: the access log has the request id and no query, header, body or path', () => {
  const [stage] = ofType('AWS::ApiGatewayV2::Stage');
  const { Format } = stage!.properties.AccessLogSettings as { Format: string };
  const fields = Object.values(JSON.parse(Format) as Record<string, string>);
  assert.ok(fields.includes('$context.requestId'));
  // An invitation token is in the path, a login code in the query.
  for (const field of fields) assert.doesNotMatch(field, /\$context\.path|\$context\.authorizer|querystring|header|body/i);
});

describe('the outputs of the last stack', () => {
  const outputsOf = (from: ReturnType<typeof templatesOf>) =>
    Object.entries(from.get('Api')?.Outputs ?? {})
      .filter(([name]) => !name.startsWith('Export'))
      .map(([name, { Value }]) => [name, JSON.stringify(Value)] as const);
  const outputs = outputsOf(templates);

  test('name the API, the alarm topic and the next steps in order', () => {
    assert.deepEqual(
      outputs.map(([name]) => name),
      ['ApiUrl', 'AlarmTopic', 'Dashboard', 'NextStep1', 'NextStep2', 'NextStep3', 'NextStep4'],
    );
    const { NextStep1, NextStep2, NextStep3, NextStep4 } = Object.fromEntries(outputs);
    assert.match(
      NextStep1 ?? '',
      /^\{"Fn::Join".*Client secret of client\.apps\.example\.com.*put-secret-value --secret-id .*IdentitySecret/,
    );
    assert.match(NextStep2 ?? '', /\/api\/v1\/auth\/google\/callback as a redirect URI at https:\/\/accounts\.google\.com/);
    assert.match(NextStep3 ?? '', /aws sns subscribe --topic-arn /);
    assert.match(NextStep4 ?? '', /bms smoke /);
  });

  test('let the client secret be typed, so that it is on no command line', () => {
    const { 'Fn::Join': joined } = templates.get('Api')!.Outputs!.NextStep1!.Value as { 'Fn::Join': [string, unknown[]] };
    const step = joined[1].map((piece) => (typeof piece === 'string' ? piece : 'the-arn')).join('');
    const input = `aws() { echo "$*"; cat; }\n${step}\n`;
    const said = execFileSync('bash', ['-c', input], { input: 'typed \\secret\n', encoding: 'utf8' });
    assert.equal(
      said,
      'Client secret of client.apps.example.com: secretsmanager put-secret-value --secret-id the-arn --secret-string file:///dev/stdin\ntyped \\secret',
    );
    assert.doesNotMatch(step, /--secret-string (?!file:)/);
  });

  test('include the custom domain and the e-mail address of alarms', () => {
    const more = {
      domainName: 'api.example.com',
      certificateArn: 'arn:aws:acm:eu-west-1:123456789012:certificate/1',
      alarmEmail: 'ops@example.com',
    };
    const named = Object.fromEntries(outputsOf(templatesOf({ ...settings, ...more })));
    assert.equal(named.ApiUrl, '"https://api.example.com"');
    assert.match(named.NextStep3 ?? '', /ops@example\.com/);
    assert.match(named.NextStep4 ?? '', /Point api\.example\.com at .*RegionalDomainName/);
    assert.equal(
      named.NextStep5,
      '"bms smoke https://api.example.com (in a checkout: npx bms smoke; see Smoke test in infra/deploy.md)"',
    );
    assert.ok(named.DomainTarget && named.DomainTargetZone);
  });
});

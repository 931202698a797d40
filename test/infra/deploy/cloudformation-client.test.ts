/** The calls of a deployment: signed as AWS demands, repeated where that may help, and read page by page. */
import { deepEqual, equal, match, rejects } from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'vitest';
import { openCloudFormationClient } from '../../../infra/deploy/cloudformation-client.ts';
import { parseXml } from '../../../infra/deploy/parse-xml.ts';
import { signRequest } from '../../../infra/deploy/sign-request.ts';
import { launchLink, templateAddress } from '../../../infra/deploy/template-address.ts';

test('signature: equals that of the example post-x-www-form-urlencoded in the test suite of AWS', () => {
  const { authorization } = signRequest({
    url: 'https://example.amazonaws.com/',
    body: 'Param1=value1',
    region: 'us-east-1',
    service: 'service',
    credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' },
    now: new Date('2015-08-30T12:36:00Z'),
  });
  equal(
    authorization,
    'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=content-type;host;x-amz-date, Signature=ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
  );
});

test('XML: elements, lists, empty ones and entities', () => {
  deepEqual(
    parseXml(
      '<?xml version="1.0"?><a x="1"><b>1 &lt; 2 &amp;&#x20;3</b><list><member>x</member><member><c/></member></list></a>',
    ),
    { a: { b: '1 < 2 & 3', list: { member: ['x', { c: '' }] } } },
  );
});

test('client: throttled calls are repeated, refusals are not; lists are read to their end', async (t) => {
  const calls: string[] = [];
  const server = createServer(async (request, response) => {
    const form = new URLSearchParams(Buffer.concat(await request.toArray()).toString());
    calls.push(`${form.get('Action')} ${form.get('NextToken') ?? ''}${form.get('Parameters.member.1.ParameterKey') ?? ''}`);
    const fail = (status: number, code: string) =>
      void response
        .writeHead(status)
        .end(`<ErrorResponse><Error><Code>${code}</Code><Message>no &amp; no</Message></Error></ErrorResponse>`);
    if (form.get('Action') === 'CreateStack') return fail(400, 'ValidationError');
    if (calls.length === 1) return fail(400, 'Throttling');
    const isLast = form.get('NextToken') === '2';
    response.end(
      `<ListExportsResponse><ListExportsResult><Exports><member><Name>${calls.length}</Name></member></Exports>${isLast ? '' : '<NextToken>2</NextToken>'}</ListExportsResult></ListExportsResponse>`,
    );
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  t.onTestFinished(() => void server.close());
  const client = openCloudFormationClient({
    region: 'eu-central-1',
    credentials: async () => ({ accessKeyId: 'a', secretAccessKey: 'b', sessionToken: 'c' }),
    env: { AWS_ENDPOINT_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
    signal: new AbortController().signal,
  });
  deepEqual(await client.listAll('ListExports', {}, 'Exports'), [{ Name: '2' }, { Name: '3' }]);
  const given = { StackName: 'shop', Parameters: [{ ParameterKey: 'Plan', ParameterValue: 'starter' }] };
  await rejects(client.call('CreateStack', given), { code: 'ValidationError', message: 'no & no' });
  deepEqual(calls, ['ListExports ', 'ListExports ', 'ListExports 2', 'CreateStack Plan']);
});

test('links: the address of a template and the page that launches it', () => {
  const templateUrl = templateAddress({ bucket: 'files', region: 'cn-north-1', key: 'a/template.json' });
  equal(templateUrl, 'https://files.s3.cn-north-1.amazonaws.com.cn/a/template.json');
  const link = launchLink({ region: 'eu-central-1', templateUrl, stackName: 'shop', parameters: { AssetPrefix: 'a/' } });
  match(link, /#\/stacks\/create\/review\?templateURL=https%3A%2F%2Ffiles.*&stackName=shop&param_AssetPrefix=a%2F$/);
});

/** The read-only calls of the preflight, answered as an AWS account would: one server for all services, on a loopback address. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

type Answer = Readonly<Record<string, unknown>>;

export interface AccountEndpoint {
  readonly url: string;
  /** The calls that were answered, such as `ListTables`. */
  readonly calls: readonly string[];
  /** Answers of calls by name; an answer with `__type` is an error. Others have the answers of a good account. */
  answers: Readonly<Record<string, Answer>>;
  close(): void;
}

export const denied = (action: string): Answer => ({
  __type: 'AccessDeniedException',
  message: `User: arn:aws:iam::123456789012:user/ada is not authorized to perform: ${action}`,
});

const days = (count: number): number => Math.floor(Date.now() / 1_000) + count * 86_400;

export const quotasOf = (values: Readonly<Record<string, number>>): Answer => ({
  Quotas: Object.entries(values).map(([QuotaName, Value]) => ({ ServiceCode: 'states', QuotaName, Value })),
});

const goodAccount: Readonly<Record<string, Answer>> = {
  GetCallerIdentity: { Account: '123456789012', Arn: 'arn:aws:iam::123456789012:user/ada', UserId: 'ada' },
  GetAccountSettings: { AccountLimit: { ConcurrentExecutions: 1_000, UnreservedConcurrentExecutions: 1_000 } },
  ListFunctions: { Functions: [] },
  ListServiceQuotas: quotasOf({
    'StateTransition throttle token refill rate per second': 1_500,
    'StartExecution throttle token refill rate per second': 300,
    'Open executions': 1_000_000,
    'Open Map Runs': 1_000,
  }),
  GetParameter: { Parameter: { Name: '/cdk-bootstrap/hnb659fds/version', Value: '30' } },
  ListTables: { TableNames: [] },
  ListStackResources: { __type: 'ValidationError', message: 'Stack with id backup-management-service does not exist' },
  GetItem: {},
  BatchGetItem: { Responses: {} },
  ListKeys: { Keys: [] },
  ListQueues: {},
  ListStateMachines: { stateMachines: [] },
  ListScheduleGroups: { ScheduleGroups: [] },
  ListSecrets: { SecretList: [] },
  GetAccount: { ProductionAccessEnabled: true, SendingEnabled: true, SendQuota: { Max24HourSend: 50_000 } },
  GetEmailIdentity: { VerifiedForSendingStatus: true },
  DescribeCertificate: {
    Certificate: { Status: 'ISSUED', Type: 'AMAZON_ISSUED', DomainName: '*.example.com', NotAfter: days(200) },
  },
};

/** Calls of the query protocol. */
const xmlCalls = ['GetCallerIdentity', 'ListStackResources'];
const xmlOf = (value: unknown): string =>
  Array.isArray(value)
    ? value.map((each) => `<member>${xmlOf(each)}</member>`).join('')
    : typeof value === 'object' && value !== null
      ? Object.entries(value)
          .map(([name, its]) => `<${name}>${xmlOf(its)}</${name}>`)
          .join('')
      : String(value);

/** JSON protocols name the call in a header, REST protocols by their path, STS in its form. */
const callOf = ({ headers, url = '' }: IncomingMessage, body: string): string => {
  const target = headers['x-amz-target'];
  if (typeof target === 'string') return target.split('.').at(-1) ?? '';
  if (url.includes('/account-settings')) return 'GetAccountSettings';
  if (url.startsWith('/v2/email/identities/')) return 'GetEmailIdentity';
  if (url.startsWith('/v2/email/account')) return 'GetAccount';
  if (/\/functions\/\w/.test(url)) return 'GetFunction';
  if (url.includes('/functions')) return 'ListFunctions';
  if (url.startsWith('/schedule-groups')) return 'ListScheduleGroups';
  return new URLSearchParams(body).get('Action') ?? url;
};

export const startAccountEndpoint = async (): Promise<AccountEndpoint> => {
  const calls: string[] = [];
  const server = createServer(async (request, response) => {
    const call = callOf(request, Buffer.concat(await request.toArray()).toString());
    calls.push(call);
    const answer = endpoint.answers[call] ?? goodAccount[call] ?? { __type: 'UnknownOperationException', message: call };
    const error = answer.__type as string | undefined;
    if (xmlCalls.includes(call)) {
      const fields = Object.entries(answer).map(([name, value]) => `<${name}>${xmlOf(value)}</${name}>`);
      const text = error
        ? `<ErrorResponse><Error><Type>Sender</Type><Code>${error}</Code><Message>${answer.message}</Message></Error></ErrorResponse>`
        : `<${call}Response><${call}Result>${fields.join('')}</${call}Result></${call}Response>`;
      return void response.writeHead(error ? 403 : 200, { 'content-type': 'text/xml' }).end(text);
    }
    response.writeHead(error ? 400 : 200, {
      'content-type': 'application/x-amz-json-1.1',
      ...(error && { 'x-amzn-errortype': error }),
    });
    response.end(JSON.stringify(answer));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const endpoint: AccountEndpoint = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    answers: {},
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
  return endpoint;
};

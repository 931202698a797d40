/** One route and one function for every row of the contract; whatever matches none goes to the fallback. */
import { CfnOutput, Duration, Stack, type StackProps } from 'aws-cdk-lib';
import { CfnApiMapping, CfnDomainName, CfnIntegration, CfnRoute, CfnStage } from 'aws-cdk-lib/aws-apigatewayv2';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Function as Fn } from 'aws-cdk-lib/aws-lambda';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Endpoint } from '../shared/contract/endpoint.ts';
import { capabilitiesOf, endpoints, handlerOf } from '../shared/contract/index.ts';
import { workers } from '../shared/contract/runtime/workers.ts';
import type { Config } from './config.ts';
import type { DataStack } from './data-stack.ts';
import type { EngineStack } from './engine-stack.ts';
import { sayWhatIsNext } from './part/deploy-outputs.ts';
import { type CodeOf, makeFunction } from './part/function/lambda-function.ts';
import { addAlarm, alarmPeriod } from './part/observe/alarm.ts';
import { makeLogGroup, makeVendedLogGroup } from './part/observe/log-group.ts';
import { countLines, linesCounted } from './part/observe/log-metric-filter.ts';

export interface ApiStackProps extends StackProps {
  readonly config: Config;
  readonly data: DataStack;
  readonly engine: EngineStack;
  readonly code: CodeOf;
}

/** Below the 30 s at which API Gateway gives up, so that the answer is ours. */
const endpointTimeoutSeconds = 20;
/** Lambda gives CPU by memory: twice that of 512 MB, for cold starts with the SDK. What it saves was not measured on Lambda. */
const endpointMemoryMegabytes = 1_024;
/** For the whole deployment; each actor's own share is requestsPerMinute. */
const throttle = { throttlingRateLimit: 1_000, throttlingBurstLimit: 2_000 };

export class ApiStack extends Stack {
  readonly #props: ApiStackProps;
  readonly #logGroup: LogGroup;

  constructor(scope: Construct, id: string, props: ApiStackProps) {
    super(scope, id, props);
    this.#props = props;
    this.#logGroup = makeLogGroup(this, 'Logs');
    for (const line of ['keyRefused', 'secretsKeyRefused', 'providerFailed'] as const) countLines(this.#logGroup, line);
    const groups = Map.groupBy(endpoints, (endpoint) => handlerOf(endpoint).file);
    for (const [file, rows] of groups) this.#makeGroup(file, rows);
    this.#makeFallback();
    const stage = this.#makeStage();
    const { config, data } = props;
    const { domainName, certificateArn } = config;
    const domain = domainName && certificateArn ? this.#makeDomain(stage, domainName, certificateArn) : undefined;
    this.#makeAlarms();
    sayWhatIsNext(this, { config, data, domainTarget: domain?.attrRegionalDomainName });
  }

  /** The rows of one handler file: a function each, and one role by which the gateway starts these and no others. */
  #makeGroup(file: string, rows: readonly Endpoint[]): void {
    const made = rows.map((endpoint) => ({ endpoint, fn: this.#makeEndpoint(endpoint) }));
    const role = this.#makeGatewayRole(
      pascal(file),
      made.map(({ fn }) => fn),
    );
    for (const { endpoint, fn } of made) this.#makeRoute(pascal(endpoint.id), `${endpoint.method} ${endpoint.path}`, fn, role);
  }

  #makeEndpoint(endpoint: Endpoint): Fn {
    const { file, name } = handlerOf(endpoint);
    return makeFunction(this, pascal(endpoint.id), {
      entry: `functions/api/${file}.ts`,
      exportName: name,
      description: `${endpoint.method} ${endpoint.path}: ${endpoint.summary}`,
      timeoutSeconds: endpointTimeoutSeconds,
      memoryMegabytes: endpointMemoryMegabytes,
      capabilities: capabilitiesOf(endpoint),
      parts: this.#props.engine.parts,
      code: this.#props.code,
      logGroup: this.#logGroup,
    });
  }

  #makeFallback(): void {
    const { entry, summary, timeoutSeconds, capabilities } = workers.fallback;
    const fn = makeFunction(this, 'Fallback', {
      entry,
      exportName: 'handler',
      description: summary,
      timeoutSeconds,
      capabilities,
      parts: this.#props.engine.parts,
      code: this.#props.code,
      logGroup: this.#logGroup,
    });
    this.#makeRoute('Fallback', '$default', fn, this.#makeGatewayRole('Fallback', [fn]));
  }

  /** A role for each file instead of a permission for each function: a fifth fewer resources, of the 500 a stack may have. */
  #makeGatewayRole(id: string, functions: readonly Fn[]): Role {
    return new Role(this, `${id}GatewayRole`, {
      description: `Lets the gateway start the functions of ${id}`,
      assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
      inlinePolicies: {
        start: new PolicyDocument({
          statements: [
            new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: functions.map((fn) => fn.functionArn) }),
          ],
        }),
      },
    });
  }

  #makeRoute(id: string, routeKey: string, fn: Fn, role: Role): void {
    const { apiId } = this.#props.data;
    const integration = new CfnIntegration(this, `${id}Integration`, {
      apiId,
      integrationType: 'AWS_PROXY',
      integrationUri: fn.functionArn,
      payloadFormatVersion: '2.0',
      credentialsArn: role.roleArn,
    });
    new CfnRoute(this, `${id}Route`, { apiId, routeKey, target: `integrations/${integration.ref}` });
  }

  #makeStage(): CfnStage {
    const accessLog = makeVendedLogGroup(this, 'AccessLogs');
    return new CfnStage(this, 'Stage', {
      apiId: this.#props.data.apiId,
      stageName: '$default',
      autoDeploy: true,
      defaultRouteSettings: { ...throttle, detailedMetricsEnabled: true },
      accessLogSettings: { destinationArn: accessLog.logGroupArn, format: JSON.stringify(accessLogLine) },
    });
  }

  #makeDomain(stage: CfnStage, domainName: string, certificateArn: string): CfnDomainName {
    const domain = new CfnDomainName(this, 'Domain', {
      domainName,
      domainNameConfigurations: [{ certificateArn, endpointType: 'REGIONAL', securityPolicy: 'TLS_1_2' }],
    });
    const mapping = new CfnApiMapping(this, 'DomainMapping', {
      apiId: this.#props.data.apiId,
      domainName: domain.ref,
      stage: stage.ref,
    });
    mapping.addResourceDependency(stage);
    new CfnOutput(this, 'DomainTarget', {
      value: domain.attrRegionalDomainName,
      description: `Point ${domainName} here (CNAME or alias)`,
    });
    new CfnOutput(this, 'DomainTargetZone', {
      value: domain.attrRegionalHostedZoneId,
      description: 'The hosted zone an alias record asks for',
    });
    return domain;
  }

  #makeAlarms(): void {
    const { config, data } = this.#props;
    const { alarms: topic, apiId } = data;
    addAlarm(this, {
      name: 'api-5xx',
      says: 'The API answers with server errors',
      metric: new Metric({
        namespace: 'AWS/ApiGateway',
        metricName: '5xx',
        dimensionsMap: { ApiId: apiId },
        statistic: 'Sum',
        period: alarmPeriod,
      }),
      above: 5,
      topic,
    });
    addAlarm(this, {
      name: 'sign-in-failures',
      says: 'The identity provider does not answer as it should, and nobody can sign in',
      // Whoever fails tries again: three within a quarter of an hour come of one person, and not of one lost packet.
      metric: linesCounted('providerFailed', Duration.minutes(15)),
      above: 2,
      topic,
    });
    addAlarm(this, {
      name: 'function-throttles',
      says: 'Functions use more than nine tenths of the concurrency that the account has: soon some are not started',
      // No dimension: concurrency is the account's. Throttles would count steps that wait for their turn, too.
      metric: new Metric({
        namespace: 'AWS/Lambda',
        metricName: 'ClaimedAccountConcurrency',
        statistic: 'Maximum',
        period: alarmPeriod,
      }),
      above: Math.floor(0.9 * config.accountConcurrency),
      periods: 2,
      topic,
    });
  }
}

/** No query string, no header, no body: a code or a token could be in any of them. */
const accessLogLine = {
  requestId: '$context.requestId',
  time: '$context.requestTime',
  ip: '$context.identity.sourceIp',
  route: '$context.routeKey',
  status: '$context.status',
  bytes: '$context.responseLength',
  latencyMs: '$context.responseLatency',
  functionRequestId: '$context.integration.requestId',
  functionStatus: '$context.integration.status',
  functionLatencyMs: '$context.integration.latency',
  error: '$context.error.responseType',
  functionError: '$context.integrationErrorMessage',
};

/** 'service-account', 'serviceAccount.create' → 'ServiceAccount', 'ServiceAccountCreate' */
const pascal = (text: string): string => text.replace(/(^|[-.])(\w)/g, (_, __, letter: string) => letter.toUpperCase());

/** Structured logs. Headers and bodies are never logged; ids and outcomes are. */
import { LogFormatter, Logger, LogItem } from '@aws-lambda-powertools/logger';
import type { LogAttributes, UnformattedAttributes } from '@aws-lambda-powertools/logger/types';
import { logContext } from './log-context.ts';

/** What a line says for itself goes before what is known around it. */
class WithIds extends LogFormatter {
  override formatAttributes(line: UnformattedAttributes, said: LogAttributes): LogItem {
    const { logLevel, message, timestamp, serviceName, xRayTraceId } = line;
    const attributes = {
      level: logLevel,
      message,
      timestamp: this.formatTimestamp(timestamp),
      service: serviceName,
      xray_trace_id: xRayTraceId,
    };
    return new LogItem({ attributes }).addAttributes({ ...logContext(), ...said });
  }
}

export const log = new Logger({ serviceName: 'backup-management-service', logFormatter: new WithIds() });

/** Ignoring a failure is spelled out: the work is worth trying, its failure not worth failing the call for. */
export const bestEffort = async (what: string, work: Promise<unknown>): Promise<void> => {
  try {
    await work;
  } catch (error) {
    log.warn(`could not ${what}`, error as Error);
  }
};

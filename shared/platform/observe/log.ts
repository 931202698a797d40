/** Structured logs. They contain ids and outcomes, never headers or bodies. */
import { LogFormatter, Logger, LogItem } from '@aws-lambda-powertools/logger';
import type { LogAttributes, UnformattedAttributes } from '@aws-lambda-powertools/logger/types';
import { logContext } from './log-context.ts';

/** Attributes of the line override those of the context. */
class ContextFormatter extends LogFormatter {
  override formatAttributes(line: UnformattedAttributes, own: LogAttributes): LogItem {
    const { logLevel, message, timestamp, serviceName, xRayTraceId } = line;
    const attributes = {
      level: logLevel,
      message,
      timestamp: this.formatTimestamp(timestamp),
      service: serviceName,
      xray_trace_id: xRayTraceId,
    };
    return new LogItem({ attributes }).addAttributes({ ...logContext(), ...own });
  }

  /** Errors of requests may carry headers; those of an ApiError are for its response. */
  override formatError(error: Error): LogAttributes {
    const { headers: _, ...attributes } = super.formatError(error);
    return attributes;
  }
}

export const log = new Logger({ serviceName: 'backup-management-service', logFormatter: new ContextFormatter() });

/** Logs a failure of `work` instead of throwing it. `what` completes "could not …". */
export const bestEffort = async (what: string, work: Promise<unknown>): Promise<void> => {
  try {
    await work;
  } catch (error) {
    log.warn(`could not ${what}`, error as Error);
  }
};

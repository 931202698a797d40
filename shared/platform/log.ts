/** Structured logs. Headers and bodies are never logged; ids and outcomes are. */
import { Logger } from '@aws-lambda-powertools/logger';

export const log = new Logger({ serviceName: 'backup-management-service' });

/** Ignoring a failure is spelled out: the work is worth trying, its failure not worth failing the call for. */
export const bestEffort = async (what: string, work: Promise<unknown>): Promise<void> => {
  try {
    await work;
  } catch (error) {
    log.warn(`could not ${what}`, error as Error);
  }
};

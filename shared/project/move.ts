import { ApiError } from '../contract/errors.ts';
import type { ProjectRecord } from './record.ts';

export const moveProject = async (..._: readonly unknown[]): Promise<ProjectRecord> => {
  throw new ApiError('SERVICE_UNAVAILABLE', 'Moving a project is not possible yet');
};

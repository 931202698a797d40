import * as z from 'zod/mini';
import { Project } from '../models/project.ts';
import { organization } from './fields.ts';

export const projectEvents = {
  'project.created': z.object({ organization, project: Project }),
  'project.deleted': z.object({ organization, project: Project }),
};

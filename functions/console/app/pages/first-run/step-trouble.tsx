import { connectedAs, type Project } from '../../data/projects.ts';
import type { StorageDestination } from '../../data/storage.ts';
import { sentence } from '../../format/sentence.ts';
import { findingAdvice } from '../../forms/storage/step-advice.ts';
import { paths } from '../../paths.ts';
import { Notice } from '../../ui/data/notice.tsx';
import { ButtonLink } from '../../ui/form/button-link.tsx';

/** A connected project that can no longer be read. */
export const ProjectTrouble = ({ project }: { readonly project: Project }) => (
  <Notice
    tone="bad"
    title={`${project.name} can no longer be read`}
    actions={
      <ButtonLink variant="primary" to={`${paths.project(project.id)}?reconnect=true`}>
        Reconnect
      </ButtonLink>
    }
  >
    The consent was withdrawn, or {connectedAs(project.connection)} lost its role. Reconnect it to go on.
  </Notice>
);

/** A saved destination that failed its last test. */
export const StorageTrouble = ({ destination: { name, lastError } }: { readonly destination: StorageDestination }) => (
  <Notice
    tone="bad"
    title={`${name} does not work`}
    actions={
      <ButtonLink variant="primary" to={paths.storage}>
        Open the storage
      </ButtonLink>
    }
  >
    {lastError && `${sentence(lastError.message)} ${findingAdvice(lastError) ?? ''}`}
  </Notice>
);

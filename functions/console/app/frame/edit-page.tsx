import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { usePermission } from '../api/permission.ts';
import type { FormChange } from '../api/use-api.ts';
import { type Project, useProjects } from '../data/projects.ts';
import { SkeletonText } from '../ui/data/skeleton.tsx';
import { changesOf } from '../ui/form/changes-of.ts';
import { useFirst } from '../ui/form/use-first.ts';
import { PageHeader } from '../ui/layout/page-header.tsx';
import { PageFailure, type PageFailureProps } from './page-failure.tsx';
import type { Read } from './resource-page.tsx';

interface EditFormState {
  readonly projects: readonly Project[];
  readonly isNew: false;
  readonly busy: boolean;
  readonly error: Error | null;
  readonly reason: string | undefined;
  readonly cancelTo: string;
}

interface EditPageProps<T, B> extends Pick<PageFailureProps, 'what' | 'crumb'> {
  readonly read: Read<T>;
  /** Where the record is shown. */
  readonly to: string;
  /** What the form would send if nothing were changed. */
  readonly inputOf: (record: T) => B;
  readonly update: FormChange<Partial<B>>;
  /** The form of the record as it was when the page opened. */
  readonly children: (opened: T, form: EditFormState & { readonly onSubmit: (wanted: B) => void }) => ReactNode;
}

/** The page that changes a schedule or a plan. It leads back to the record. */
export const EditPage = <T extends { readonly name: string }, B extends object>(props: EditPageProps<T, B>) => {
  const { read, what, crumb, to, inputOf, update, children } = props;
  const { data, error, refetch } = read;
  const { items: projects } = useProjects();
  const opened = useFirst(data);
  const navigate = useNavigate();
  const { reason } = usePermission('member');
  const leave = (): void => void navigate({ to });
  /** Only what the person has changed: others may have changed the rest meanwhile. */
  const save = (shown: B, wanted: B): void => {
    const changes = changesOf(shown, wanted);
    if (Object.keys(changes).length === 0) leave();
    else update.mutate(changes, { onSuccess: leave });
  };
  if (error && !data) return <PageFailure error={error} what={what} crumb={crumb} onRetry={() => void refetch()} />;
  return (
    <>
      <PageHeader title={data ? `Edit ${data.name}` : 'Edit'} crumbs={[crumb]} />
      {opened && data && projects ? (
        children(opened, {
          projects,
          isNew: false,
          busy: update.isPending,
          error: update.error,
          reason,
          cancelTo: to,
          onSubmit: (wanted) => save(inputOf(opened), wanted),
        })
      ) : (
        <SkeletonText lines={5} />
      )}
    </>
  );
};

import type { ReactNode } from 'react';
import { SkeletonText } from '../ui/data/skeleton.tsx';
import { PageHeader } from '../ui/layout/page-header.tsx';
import { PageFailure, type PageFailureProps } from './page-failure.tsx';

/** How a resource is read, as `useRead` returns it. */
export interface Read<T> {
  readonly data: T | undefined;
  readonly error: unknown;
  readonly refetch: () => Promise<unknown>;
}

interface ResourcePageProps<T> extends Pick<PageFailureProps, 'what' | 'crumb'> {
  readonly read: Read<T>;
  /** Of the skeleton while it loads. */
  readonly lines?: number;
  readonly badge: (resource: T) => ReactNode;
  readonly actions: (resource: T) => ReactNode;
  readonly children: (resource: T) => ReactNode;
}

/** The page of one resource: its name, its state and actions, and its contents in a column. */
export const ResourcePage = <T extends { readonly name: string }>(props: ResourcePageProps<T>) => {
  const { read, what, crumb, lines, badge, actions, children } = props;
  const { data, error, refetch } = read;
  if (error && !data) return <PageFailure error={error} what={what} crumb={crumb} onRetry={() => void refetch()} />;
  if (!data) return <SkeletonText {...(lines !== undefined && { lines })} />;
  return (
    <>
      <PageHeader title={data.name} crumbs={[crumb]} badge={badge(data)} actions={actions(data)} />
      <div className="stack">{children(data)}</div>
    </>
  );
};

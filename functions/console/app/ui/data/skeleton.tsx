interface SkeletonProps {
  readonly width?: string;
  readonly height?: string;
}

/** Shows where content will appear, so that nothing jumps when it does. */
export const Skeleton = ({ width = '100%', height = '0.9em' }: SkeletonProps) => (
  <span className="skeleton" style={{ width, height }} aria-hidden="true" />
);

const widths = ['92%', '75%', '84%', '60%', '70%'];

/** Several lines of text, at most five. */
export const SkeletonText = ({ lines = 3 }: { readonly lines?: number }) => (
  <div className="stack stack--tight" role="status" aria-label="Loading">
    {widths.slice(0, lines).map((width) => (
      <Skeleton key={width} width={width} />
    ))}
  </div>
);

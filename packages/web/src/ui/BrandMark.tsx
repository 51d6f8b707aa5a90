/** Our mark: a tug boat with its funnel. Decorative; the container has the name. */
export function BrandMark({ size = 22 }: { size?: number }) {
  return (
    <svg className="brand-mark" width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
      <path className="brand-hull" d="M3 19.5h26l-3.4 6.2a2.5 2.5 0 0 1-2.2 1.3H9a2.5 2.5 0 0 1-2.2-1.3Z" />
      <path className="brand-cabin" d="M9 10.5A1.5 1.5 0 0 1 10.5 9h6A1.5 1.5 0 0 1 18 10.5v6.5H9Z" />
      <path className="brand-funnel" d="M20.5 5h4v12h-4Z" />
    </svg>
  );
}

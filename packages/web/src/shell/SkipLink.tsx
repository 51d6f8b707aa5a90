/** The first tab stop of the page (D9): shown when it has the focus, leads past the bars and lists. */
export function SkipLink() {
  const skip = () => {
    const main = document.querySelector<HTMLElement>('.shell-main');
    const boxes = [...(main?.querySelectorAll<HTMLElement>('.composer textarea') ?? [])];
    const box = boxes.find((one) => one.checkVisibility({ visibilityProperty: true }));
    const target = box ?? main?.querySelector<HTMLElement>('.home, [role=tab][tabindex="0"]');
    target?.focus();
  };
  return (
    <button type="button" className="skip-link button" onClick={skip}>
      Skip to conversation
    </button>
  );
}

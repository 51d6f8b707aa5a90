/**
 * Runs in the sandboxed page for diagrams. Receives source and colors through a port, replies with an SVG and its
 * size. Has no origin, no network and no access to the page except the port. Has no imports.
 */
import type { default as Mermaid } from 'mermaid';

declare const mermaid: typeof Mermaid;

interface Look {
  readonly isDark: boolean;
  readonly colors: Readonly<Record<string, string>>;
  /** Background colors for text in the foreground color, used in turn. */
  readonly soft: readonly string[];
  /** Colors that distinguish lines and areas; text on them is in `onStrong`. */
  readonly strong: readonly string[];
}

const FONT = 'system-ui, "Segoe UI", Roboto, sans-serif';

/** The library's numbered variables: `cScale0`, `cScale1` and so on. */
function numbered(name: string, colors: readonly string[], from = 0): Record<string, string | undefined> {
  const count = 12;
  return Object.fromEntries(
    Array.from({ length: count }, (_, at) => [`${name}${at + from}`, colors[at % colors.length]]),
  );
}

function setLook({ isDark, colors, soft, strong }: Look): void {
  const { foreground = '', line = '', onStrong = '' } = colors;
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: 'strict',
    // A source may not change these; the library filters all other settings.
    secure: ['secure', 'securityLevel', 'startOnLoad', 'maxTextSize', 'maxEdges', 'htmlLabels', 'themeCSS'],
    maxTextSize: 50_000,
    maxEdges: 500,
    htmlLabels: false,
    flowchart: { htmlLabels: false, useMaxWidth: false },
    sequence: {
      useMaxWidth: false,
      actorFontSize: 14,
      messageFontSize: 14,
      noteFontSize: 14,
      height: 44,
    },
    suppressErrorRendering: true,
    fontFamily: FONT,
    theme: 'base',
    themeVariables: {
      darkMode: isDark,
      fontFamily: FONT,
      fontSize: '14px',
      background: colors.background,
      primaryColor: colors.card,
      primaryTextColor: colors.foreground,
      primaryBorderColor: colors.primary,
      secondaryColor: colors.accent,
      secondaryTextColor: colors.foreground,
      secondaryBorderColor: colors.border,
      tertiaryColor: colors.muted,
      tertiaryTextColor: colors.foreground,
      tertiaryBorderColor: colors.border,
      lineColor: colors.line,
      textColor: colors.foreground,
      mainBkg: colors.card,
      nodeBorder: colors.primary,
      nodeTextColor: colors.foreground,
      clusterBkg: colors.muted,
      clusterBorder: colors.border,
      titleColor: colors.foreground,
      edgeLabelBackground: colors.background,
      actorBkg: colors.card,
      actorBorder: colors.primary,
      actorTextColor: colors.foreground,
      actorLineColor: colors.line,
      signalColor: colors.foreground,
      signalTextColor: colors.foreground,
      labelBoxBkgColor: colors.card,
      labelBoxBorderColor: colors.border,
      labelTextColor: colors.foreground,
      loopTextColor: colors.foreground,
      noteBkgColor: colors.muted,
      noteTextColor: colors.foreground,
      noteBorderColor: colors.border,
      activationBkgColor: colors.accent,
      activationBorderColor: colors.primary,
      ...numbered('cScale', soft),
      ...numbered('cScaleLabel', [foreground]),
      ...numbered('cScaleInv', [line]),
      ...numbered('cScalePeer', [line]),
      ...numbered('git', strong),
      ...numbered('gitBranchLabel', [onStrong]),
      ...numbered('pie', strong, 1),
      commitLabelColor: foreground,
      commitLabelBackground: colors.muted,
      pieTitleTextColor: foreground,
      pieLegendTextColor: foreground,
      pieSectionTextColor: onStrong,
      pieOuterStrokeWidth: '0px',
      pieStrokeColor: colors.background,
      pieOpacity: '1',
    },
  });
}

async function draw(id: number, source: string, look: Look) {
  setLook(look);
  const place = document.createElement('div');
  document.body.append(place);
  try {
    const { svg: markup } = await mermaid.render(`d${id}`, source, place);
    // A template is inert: nothing in it loads or runs.
    const template = document.createElement('template');
    template.innerHTML = markup;
    const svg = template.content.querySelector('svg');
    const [, , width = 0, height = 0] = (svg?.getAttribute('viewBox') ?? '').split(/[ ,]+/).map(Number);
    if (!svg || !(width > 0 && height > 0)) throw new Error('The diagram is empty');
    svg.setAttribute('width', String(width));
    svg.setAttribute('height', String(height));
    svg.removeAttribute('style');
    return { id, svg: new XMLSerializer().serializeToString(svg), width, height };
  } finally {
    place.remove();
  }
}

addEventListener(
  'message',
  ({ ports: [port] }) => {
    if (!port) return;
    port.onmessage = ({ data: { id, source, look } }) => {
      draw(id, source, look).then(
        (answer) => port.postMessage(answer),
        (error) => {
          const fault = String(error instanceof Error ? error.message : error);
          port.postMessage({ id, fault: fault.slice(0, 300) });
        },
      );
    };
    port.postMessage({ id: 0 });
  },
  { once: true },
);

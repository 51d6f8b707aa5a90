/** Diagrams of every kind, and sources that try to be more than an image. */
export const DIAGRAMS: readonly string[] = [
  'flowchart LR\n  A[Page] --> B{Signed in?}\n  B -- yes --> C[Deck]\n  B -- no --> D[Refused]\n  subgraph host\n    C --> E[(Journal)]\n  end',
  'sequenceDiagram\n  participant P as Page\n  participant S as Server\n  P->>S: prompt.send\n  S-->>P: receipt\n  Note over P,S: one socket',
  'classDiagram\n  class Entry {\n    +string id\n    +fold()\n  }\n  Entry <|-- ToolEntry',
  'stateDiagram-v2\n  [*] --> partial\n  partial --> complete\n  complete --> [*]',
  'erDiagram\n  PROJECT ||--o{ SESSION : has\n  SESSION {\n    string id\n  }',
  'gantt\n  title Plan\n  dateFormat YYYY-MM-DD\n  section A\n  One :a1, 2026-01-01, 3d\n  Two :after a1, 2d',
  'pie title Tokens\n  "in" : 70\n  "out" : 30',
  'gitGraph\n  commit\n  branch topic\n  commit\n  checkout main\n  merge topic',
  'mindmap\n  root((deck))\n    cards\n    feeds',
  'timeline\n  title A day\n  morning : start\n  noon : review',
];

export const FORMULAS: readonly string[] = [
  'e^{i\\pi} + 1 = 0',
  '\\frac{-b \\pm \\sqrt{b^2 - 4ac}}{2a}',
  '\\int_0^\\infty e^{-x^2}\\,dx = \\frac{\\sqrt{\\pi}}{2}',
  '\\begin{pmatrix} a & b \\\\ c & d \\end{pmatrix}',
  '\\begin{cases} 1 & x > 0 \\\\ 0 & \\text{else} \\end{cases}',
  '\\underbrace{a + b}_{n} \\xrightarrow{f} \\overline{z}',
  '\\color{red} x \\boxed{y} \\cancel{z}',
];

export const HOSTILE_DIAGRAMS: readonly string[] = [
  'flowchart LR\n  A["<img src=x onerror=window.top.hacked=1>"] --> B["<script>window.parent.hacked=1</script>"]',
  'flowchart LR\n  A --> B\n  click A href "javascript:window.top.hacked=1" "go"',
  'flowchart LR\n  A --> B\n  click A call alert(1)',
  '%%{init: {"securityLevel": "loose", "htmlLabels": true, "flowchart": {"htmlLabels": true}}}%%\nflowchart LR\n  A["<img src=x onerror=window.top.hacked=1>"]',
  '%%{init: {"themeCSS": "* { background: url(http://127.0.0.1:9/leak) } @import \'http://127.0.0.1:9/x.css\'"}}%%\nflowchart LR\n  A-->B',
  '%%{init: {"fontFamily": "x; } </style><script>window.parent.hacked=1</script>"}}%%\nflowchart LR\n  A-->B',
  'sequenceDiagram\n  participant A as <iframe srcdoc="<script>top.hacked=1</script>">\n  A->>A: <svg onload=top.hacked=1>',
  'classDiagram\n  class A {\n    <img src=x onerror=top.hacked=1>\n  }',
  'flowchart LR\n  A["`<style>@import url(http://127.0.0.1:9/x)</style>`"]',
  'stateDiagram-v2\n  s1 : <foreignObject><body onload=top.hacked=1></foreignObject>',
  'pie title </title><script>top.hacked=1</script>\n  "<b onclick=top.hacked=1>x</b>" : 1',
  '---\ntitle: "</script><script>top.hacked=1</script>"\n---\nflowchart LR\n  A-->B',
  'flowchart LR\n  A@{ img: "http://127.0.0.1:9/leak.png", label: "x" }',
  'not a diagram at all <script>top.hacked=1</script>',
];

export const HOSTILE_FORMULAS: readonly string[] = [
  '\\href{javascript:top.hacked=1}{x}',
  '\\url{javascript:top.hacked=1}',
  '\\includegraphics{http://127.0.0.1:9/leak.png}',
  '\\htmlClass{to-end}{x}\\htmlStyle{position:fixed}{y}\\htmlData{a=b}{z}\\htmlId{root}{w}',
  '\\def\\a{\\a\\a}\\a',
  '\\rule{9999em}{9999em}',
  '\\kern-500em\\rule{400em}{400em}',
  '\\text{<img src=x onerror=top.hacked=1>}',
  '\\color{red;position:fixed}{x}',
  `${'{'.repeat(3_000)}x${'}'.repeat(3_000)}`,
  `${'\\sqrt{'.repeat(500)}x${'}'.repeat(500)}`,
];

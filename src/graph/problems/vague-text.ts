/** Link texts that say nothing of their target, as Lighthouse's audit of link texts has them, in some languages. */
const VAGUE = new Set(
  `here|click here|click this|click|go|this|this link|this page|link|start|right here|more|read more|learn more|more info|more information|
  details|see more|hier|hier klicken|klicken sie hier|mehr|weiterlesen|mehr erfahren|ici|cliquez ici|en savoir plus|lire la suite|plus|
  aquí|haz clic aquí|clic aquí|más|más información|leer más|qui|clicca qui|leggi tutto|scopri di più|aqui|clique aqui|saiba mais|leia mais|
  klik hier|lees meer|meer|tutaj|więcej|здесь|тут|подробнее|читать далее|こちら|ここ|詳細|点击这里|这里|更多|여기|더보기`
    .split("|")
    .map((text) => text.trim()),
);

export function isVague(text: string): boolean {
  return VAGUE.has(
    text
      .toLowerCase()
      .replace(/[\u2026.>»›→:!]/gu, " ")
      .trim(),
  );
}

/**
 * Words by which sites name what changes something, in lower case and without separators: `sign out`, `sign-out` and
 * `sign_out` are `signout`. Accents are left out.
 */

const listOf = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Ends a session. Nothing else is called so. */
export const LOG_OUT = listOf(`
  logout mylogout logoff signout signoff userlogout logoutuser logouturl dologout logmeout endsession
  abmelden ausloggen logoutseite
  deconnexion deconnecter sedeconnecter deconnect
  cerrarsesion finalizarsesion desconectar desconectarse salirdelasesion
  sair encerrarsessao terminarsessao
  esci disconnetti disconnettiti
  uitloggen afmelden loggaut loggut logud logaf kirjauduulos
  wyloguj wylogujsie odhlasit odhlaseni odhlasitse kijelentkezes delogare iesire oturumukapat cikisyap
  выйти выход разлогиниться вийти ログアウト サインアウト 退出登录 退出登錄 登出 注销 註銷 로그아웃`);

/** Ends a subscription, or what is sent. */
export const UNSUBSCRIBE = listOf(`
  unsubscribe unsubscribeme unsub optout emailoptout unfollow
  abbestellen newsletterabbestellen austragen
  desabonner desabonnement sedesabonner sedesinscrire desinscription
  darsedebaja cancelarsuscripcion anularsuscripcion desuscribirse
  cancelarinscricao descadastrar
  annullaiscrizione disiscriviti
  afmeldennieuwsbrief uitschrijven avregistrera avmeld afmeld
  wypiszsie anulujsubskrypcje odhlasitodber leiratkozas
  отписаться отписка 配信停止 退订 退訂 구독취소`);

/** Puts something into a cart, or buys it. */
export const BUY = listOf(`
  addtocart cartadd addcart addtobasket basketadd addtobag addtowishlist wishlistadd addtolist buynow quickbuy oneclickbuy placeorder
  indenwarenkorb inwarenkorb jetztkaufen aufdenmerkzettel
  ajouteraupanier ajoutpanier acheter acheternow
  anadiralcarrito agregaralcarrito comprarahora
  adicionaraocarrinho comprarja
  aggiungialcarrello acquistaora
  inwinkelwagen inwinkelmand laggivarukorg leggihandlekurv laegikurv lisaaostoskoriin
  dodajdokoszyka pridatdokosiku kosarba sepeteekle
  вкорзину добавитьвкорзину купитьсейчас カートに入れる カートに追加 加入购物车 加入購物車 立即购买 장바구니담기 장바구니에담기`);

/** Says of another thing what becomes of it. */
export const VERBS = listOf(`
  delete destroy remove erase purge discard wipe undelete untrash del
  approve reject decline deny authorize revoke unpublish unarchive reopen unlock unpin unhide
  restart reboot shutdown disable deactivate suspend terminate kill rollback revert
  upvote downvote unlike unstar unfavorite unflag ban unban unblock mute unmute kick
  markread markasread markallread markunread markallasread dismiss acknowledge toggle unwatch impersonate
  loeschen loschen entfernen verwerfen freigeben genehmigen ablehnen bestatigen bestaetigen stornieren kundigen
  supprimer effacer retirer approuver refuser annuler
  eliminar borrar quitar aprobar rechazar
  excluir apagar aprovar rejeitar
  elimina cancella rimuovi approva rifiuta
  verwijderen wissen goedkeuren afwijzen annuleren
  radera tabort godkann slett slet godkjenn godkend poista hyvaksy
  usun skasuj zatwierdz odrzuc smazat odstranit schvalit torles jovahagy onayla sterge
  удалить одобрить отклонить видалити
  削除 承認 却下 删除 刪除 批准 拒绝 삭제 승인 거부`);

/** The same, where they follow the id of a thing: pages have such names too. */
export const WEAK_VERBS = listOf(`
  trash accept confirm grant publish archive close lock pin hide cancel reset enable activate stop restore
  vote like star follow favorite rate report flag block invite join leave subscribe run execute trigger deploy merge
  transfer pay refund watch thank patrol duplicate clone spam complete resolve sign send resend
  remover confirmer valider confirmar cancelar conferma annulla bevestigen
  подтвердить отменить 确认 取消`);

/** What a verb acts on, where both are one segment: `delete-account`. */
export const OBJECTS = listOf(`
  account accounts user users member members item items page pages post posts comment comments reply message messages
  file files folder image photo attachment document record row entry event card address session sessions token tokens key
  order orders subscription subscriptions request requests all selected bulk cart basket wishlist product list
  profile avatar project repo repository branch issue ticket task invitation friend follower notification notifications
  konto benutzer beitrag kommentar nachricht datei seite eintrag bestellung
  compte utilisateur article commentaire message fichier cuenta usuario mensaje archivo conta mensagem`);

/** Names of parameters whose value names what is done. */
export const DOING = listOf(
  "action act do op cmd command task method mode event func function fn verb operation _method todo aktion accion acao azione",
);

/** Where a site explains things: a page there is about what it is named for. */
export const EXPLAINING = listOf(`
  docs doc documentation reference references manual manuals guide guides handbook help hilfe aide ayuda ajuda support
  learn tutorial tutorials how-to howto faq faqs kb knowledge knowledgebase man specs spec rfc api-docs apidocs
  api-reference glossary dictionary developer developers examples cookbook wiki-help`);

/** Where it has texts, which may be named for a verb, and may be edited too. */
export const TELLING = listOf(`
  articles article artikel blog blogs news posts stories questions q-and-a wiki tag tags category categories topics
  topic`);

/** Words of sentences, which no name of an action has. */
export const SENTENCE = listOf(`
  how what why when which who to the a an of in on from with your my and or is are do does for without before after using
  wie was warum und der die das mit von zu comment pourquoi le la les des du et avec como por que el los las de con`);

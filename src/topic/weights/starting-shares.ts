/**
 * The share of pages that have a term, for terms that are common in general text, whatever its subject. Made by
 * bench/focus/make-starting-shares.ts of the frequencies of words in 16 languages of wordfreq by Robyn Speer,
 * https://github.com/rspeer/wordfreq, whose sources its README names: among others Wikipedia, OpenSubtitles, the Leeds
 * Internet Corpus, Google Books, and SUBTLEX by Marc Brysbaert et al. Unlike the rest of this project, this table may
 * be used under Creative Commons Attribution-ShareAlike 4.0: https://creativecommons.org/licenses/by-sa/4.0/
 */
export const STARTING_SHARES: readonly (readonly [share: number, terms: string])[] = [
  [
    0.6,
    "0000 aan aber adalah akan aku alla anche anda auch bij bir bisa chỉ czy các có công cũng của daha dalam " +
      "dari dass delle dengan deze dit dla een eine ele foi für gibi gli hebben heeft hij họ ile ini itu için " +
      "jak juga kadar kamu khi không kita lebih là làm lại maar mereka más một naar nach người như những nicht " +
      "nie niet noch nog nur này não năm oder olan olarak ook orang pada pero più przez saya sich sind się sono " +
      "sua sudah sẽ sự tapi tego thành thể tidak todo trong tym tôi tại từ uit uma untuk você voor và vào về với " +
      "wenn werden wie wir wird zijn zo ça çok đã đó được đầu đến để że все для его за из как на не но он от по " +
      "так то что это أن أو إلى التي الذي على عن في كان كل لا ما مع من هذا هذه هو ある い いる う え お か から が き く こと さ " +
      "し する た だ っ って て てる で です と な ない に ね の は ます も よ り れ を ん 一个 上 不 与 中 为 也 了 人 他 你 吗 和 在 对 就 年 我 我们 是 有 的 说 这 都 " +
      "가 것 게 고 과 그 기 나 는 니다 다 도 되 들 로 를 면 수 아 어 었 에 에서 와 으로 은 을 의 이 인 일 있 적 지 하 한 할 해 했",
  ],
  [
    0.45,
    "alle ano año bị cette comme dann değil einem einen einer ela essere esta este fait geen haben ils isso " +
      "iyi już já kann leur meer mnie może muito même nella new nous oraz pelo quando questo seu sonra sont são " +
      "są também tem time tylko yok zum être über был было до если же когда меня мне мы только ты уже الله ان " +
      "بعد بين ذلك كانت لم يا いい いう かっ け けど この これ しい して じゃ そう その たい たら なっ ば まし や よう る れる わ 个 中国 于 什么 他们 会 但 到 可以 " +
      "后 思 日 月 来 没有 等 而 被 要 見 言 还 这个",
  ],
  [
    0.35,
    "autre bardzo bem być büyük będzie cuando cui eso esto está fue güzel hanno jego jeśli meu minha muy otro " +
      "pela people pessoa puede questa roku sadece sobie sobre stato só también też tiene tutti tutto türkiye " +
      "vai year yeni était будет бы во время вы года есть еще или их кто может нет она они после при чтобы أنه " +
      "أي أيضا إن اليوم حتى حيث خلال عليه غير قبل قد كما هي あり さん せ それ だけ だっ でき とい なく なら なる なん まで み め ら んな ー 一 " +
      "不是 从 以 何 出 去 国家 多 大 她 好 将 并 很 怎么 把 时 看 着 给 美国 者 能 自己 行 让 问题",
  ],
  [
    0.25,
    "back day día first go good know mucho porque qué right said say take thing think want work была были вот " +
      "ее очень со также чем 下 之 做 公司 又 及 因为 地 就是 已经 或 政府 新 更 没 现在 用 由 过 里",
  ],
  [0.18, "best come game going got great home last life look love man part really state world"],
  [
    0.13,
    "against am around better big case change city company didn end family feel find found friend give group " +
      "guy help high house keep little live long lot mean mr name next number old place play point put school " +
      "second service show something sure system team thank three week",
  ],
  [
    0.1,
    "already american anything area away book business call called car care country different free getting " +
      "girl god government hand head hour job law left line looking member men money month night nothing order " +
      "party person player please power problem public question read real run set side someone start stop story " +
      "support tell thought today top water women won word",
  ],
  [
    0.07,
    "00th able act action actually age ago almost anyone art ask bad based become believe bit black body boy " +
      "building came cause children coming community control cost course court deal death doesn early else " +
      "enough event everyone everything eye face fact far five following food force form four fuck full general " +
      "given half happen hard health history hit hope human idea important include including information isn " +
      "issue john kid kind known large later least leave less level light local lost making matter maybe million " +
      "mind minute move music national office oh open pay plan post president price program reason remember " +
      "report research result room season seem seen shit single small social song south started student study " +
      "taking talk term together told took true try trying turn type understand united university video war went " +
      "white whole win working wrong yes young",
  ],
  [
    0.05,
    "according account across air along america answer article asked available baby bank behind bill board " +
      "break bring brother buy center chance character check child class clear close club college common " +
      "continue county couple current cut data date decision department design development director dog dr due " +
      "easy education effect energy example experience fall fan father feeling field fight figure film final " +
      "fine fire follow former front fucking fun future gave goal gonna happy hear heard heart held himself hold " +
      "industry instead interest international king land late lead list living london low main major march " +
      "market media meet meeting model moment morning mother myself near nice non north note officer official " +
      "outside page parent past period phone picture playing police policy political position possible present " +
      "pretty probably process product project property provide quite rate ready record red relationship rest " +
      "return road role rule sale saw saying security self sery share short shot sign site six sometime son soon " +
      "sound source space special stand star stay step street summer taken talking test thinking third town " +
      "value view vote wait wanted wasn watch west wife woman yeah york yourself",
  ],
  [
    0.035,
    "activity add added al album allow alone amazing amount animal appear april arm army attack attention " +
      "august australia author average award ball base beat beautiful became bed benefit blood blue born british " +
      "brought card career cell central century certain charge chief china choice church claim co code comment " +
      "complete condition considered cool couldn council cover create culture cup currently damn daughter david " +
      "de dead decided degree died difference district doctor door dream drive drop drug earth east eat economic " +
      "effort election england english enjoy entire episode especially european evidence exactly fast feature " +
      "federal felt female finally financial football foreign forward french fund giving goe gold gone green " +
      "ground guess gun hair happened hate haven hell hey higher hospital hot image increase individual inside " +
      "involved island jame january july june key kill killed knew lady language leader league learn led legal " +
      "letter likely link listen longer looked lord lose lower management manager mark match material medical " +
      "message met michael middle mile military mine minister miss mom movie nation natural needed network " +
      "november october offer oil ok online operation opportunity organization original paid paper park patient " +
      "perfect performance perhap personal photo pick piece plant played poor practice press private production " +
      "professional quality race range reading received region related release remain response review risk river " +
      "rock round running save scene science sea section send sense sent september serious seven sex ship " +
      "similar simple simply sister situation size society sorry speak sport st staff stage standard statement " +
      "station store strong stuff style super table tax teacher technology ten text themselve title total toward " +
      "track trade training tree tried trust turned tv uk union unit usually various version visit voice walk " +
      "wall washington website whatever william wish worked worth wouldn write writing written",
  ],
  [
    0.025,
    "ability access addition agency agree allowed application aren artist association authority band bar began " +
      "begin beginning block box brown build built california campaign capital challenge changed cold collection " +
      "color committee computer conference consider contact content contract crazy created credit crime daily " +
      "dark december deep detail die difficult double drink eight europe except expect explain favorite fear " +
      "february fit followed forget funny george german growth hotel huge hurt husband ii included india " +
      "internet join judge la limited lol loss machine married master method missing modern movement moving okay " +
      "one opinion option owner pain partner pass paul peace percent plus popular population potential pressure " +
      "provided published purpose radio recent recently released require required resource respect russian safe " +
      "secret seeing sell sir sleep sort specific speed spent starting stock straight subject success thousand " +
      "tomorrow tonight tour train travel treatment truth user waiting wanna watching way weight window worker " +
      "wrote",
  ],
  [0.018, "ed van"],
  [0.012, "ad ben era et eu hat im los ma solo un ya"],
];

/**
 * The share of pages that have a term, for terms that are common whatever the subject: the median over Debian's manuals
 * in English, Japanese and Chinese, and the commonest words of some other languages. Made by
 * bench/focus/make-starting-shares.ts.
 */
export const STARTING_SHARES: readonly (readonly [share: number, terms: string])[] = [
  [
    0.6,
    "bạn che com como con có da das de dei del den der des di die ein eine el em en es est et il ist la le les " +
      "los một non não os ou para phần pode por pour que se ser si sie sono trong trình um uma un una und von zu " +
      "được đặt في من が され しま する で に の は ます を 使用 可以",
  ],
  [
    0.45,
    "anche ao auf cho come cài các cũng của dan della dem diese du dùng file für hệ khi không las là mai mit " +
      "más na nicht này nếu oder par più puede può seu su thể thống tin une usare và wird để động для أن التي " +
      "على هذه こと して てい でき です と な りま れま スト ファ ール 一个 文件 系统",
  ],
  [
    0.35,
    "al als auch avvio bằng bị ce chỉ chọn cách cần dass debian dell delle dos dụng einen esta este esto hợp " +
      "im irá isto kann khác khả khởi lo ne nel những nào nó năng pas qui sind são sẽ sử thiết trên tập tự user " +
      "vào về với wenn wie đã đó định или как на не أو إلى هذا から きま この した って には よう るこ れた ァイ イル イン ステ ョン ージ 使 場合 " +
      "如果 程序 软件",
  ],
  [
    0.25,
    "alla alle allow altri apena au aus avec bei bản case caso cette comme cui dal default deve disco dy einem " +
      "einer está example fall fazer forma ha hay http hình linux list ma mas mesmo modo name nella như nur org " +
      "outro parte pelo pero peut podem rede set sia sich solo son sont sua sul sur sólo số tem ter thông todo " +
      "value veja viene zum être если из может по что это إذا دبيان عن لا مع هو يمكن あり ある いま いる うに があ これ さい せん " +
      "ため では とが ない なり によ ませ や ると れて れる コン ショ ット ティ ディ プロ ュー ント ータ ード 件包 其他 可能 命令 和 安装 用户 設定 这些 选择 通过 配置 需要",
  ],
  [
    0.18,
    "aber algun apó autre base boot cada cas ces command dalla debe dopo estão fare first gli gnu haben isso " +
      "lhe menu mismo molto muito même nach new nome note option opção otro plus prima qu rete run sein seja sem " +
      "será sin sus system tanto tiene time tool tutti uso vez work ya zur über будет быть его их можно но от " +
      "при также то чтобы أي الأمر الذي بعد جميع حتى عند فقط كل كما لكن ما هي يجب いて がで し その った とし にな のよ また めに " +
      "より られ り るた れば クト コマ シス スク ター ック ップ テム トリ バー フォ マン ライ ログ ンス ンド ース ート 一些 中的 作为 例如 信息 在 它们 工具 必要 情况 或 或者 所有 " +
      "提供 数据 没有 然后 用于 用的 的文 节 设置 运行 这个 进行 选项 選択",
  ],
  [
    0.13,
    "apt aux available based dann data datei dato degli desde deux durch elle entre following function gibt " +
      "hat ihre line lista local luego muss nom number otra red share sobre sous toda tous tout toute type uno " +
      "unter version vom want более все вы же когда могут он они пред след так файл этого этот أخرى أكثر أيضاً " +
      "الحزم الملف بشكل بعض بين تثبيت ذلك سوف غير قد قسم كان مثل ملف ملفات نظام い いう うこ うな えば き きる くだ しな すべ それ " +
      "ださ てく ての とい とで とに なる にし ので べて み もし もの よっ らの るか るに るの るよ れは われ キス クリ グラ ケー サイ サー セス ツー テキ デー トー フィ ユー リス " +
      "レー ロー ワー ング ーザ ーシ ーバ 不同 中 他 件的 任何 作成 例 修改 内容 况下 列表 创建 包含 含 因为 変更 実行 对于 工作 并且 必须 情報 执行 指定 操作 方式 是一 显示 有的 " +
      "服务 次 注意 的一 的内 的软 第 管理 统的 网络 自动 行 表示 説明 这样 通常 部分 问题 面的 默认 다음 으로 음으 이전 절 처음",
  ],
  [
    0.1,
    "add alor aussi avant back basic change check conf contain create directory disk dpkg entry error find " +
      "free group host include information key know known main order page paket point read result return root " +
      "rule san sehr sera setting specified start step string support take task usr vous www été есть за пакет " +
      "после того этой いな う かも くの ける けれ しれ すが たは つの ても であ での とも とを どの なく なけ など にあ にす のた への めの も れら アク アッ ィレ イア " +
      "イブ オプ キュ ソー タイ ッケ デフ ニュ ネッ ネル バイ パッ プシ ポー メン メー リー ルト レク ーク ーム 上 上的 不会 不是 为了 也可 以下 以使 以及 以在 以通 件系 其它 内核 " +
      "利用 功能 务器 包括 包的 可用 名 启动 处理 多 字符 安全 已经 应用 应该 您可 控制 支持 文字 文本 文档 新的 方法 有一 本的 样的 检查 機能 添加 版本 的方 的时 的用 目录 相关 第一 " +
      "简单 自動 要的 计算 设备 访问 输入 込 这种 追加 関",
  ],
  [
    0.07,
    "ainsi call called character code content control current define defined different doit end form format " +
      "given instead output parameter part path possible process program provide provided section single size " +
      "source specific specify text true variable かの とは クセ ドラ ペー ンタ 一种 下面 不能 两个 之前 之间 会被 但是 允许 全 其中 列出 删除 参数 参见 " +
      "同时 同的 名前 名称 因此 图形 基于 基本 多个 好的 存在 它的 完全 完整 定义 定的 对应 帮助 应的 开始 当前 我们 手册 提示 时候 时间 更多 更新 書 本地 标准 格式 模式 每个 比如 " +
      "特定 环境 的 的信 的安 的工 的情 的所 的数 的是 的程 的系 的配 直接 相同 硬盘 磁盘 类型 置文 而不 能够 自己 菜单 行的 装的 複数 许多 说明 起動 过程 这里 连接 避免 那么 重新 " +
      "重要 错误 非常",
  ],
  [
    0.05,
    "access additional apply argument automatically configuration copy created described description detail " +
      "documentation environment expression feature found full help including last level library mean message " +
      "method mode multiple named needed next object operation optional otherwise particular problem require " +
      "required right script second show space special standard syntax test try useful window 之后 什么 们的 关的 具有 出现 " +
      "即使 另一 在这 外的 存储 实际 就是 描述 无法 是在 某些 根据 现在 用来 由于 算机 类似 统上 脚本 获得 要求 语言 这是 邮件",
  ],
  [
    0.035,
    "actually added addition allowed already appear application appropriate avoid behavior bit built cause " +
      "changed common complete component containing corresponding creating currently definition determine " +
      "directly display document effect element empty enable enabled except exist existing extension false field " +
      "follow foo give included input integer interface internal language later least left less limit location " +
      "long look memory module necessary normal normally old package place present reference release remove " +
      "removed running server similar simple starting supported three top unless update usually warning write " +
      "zero",
  ],
  [
    0.025,
    "able actual adding address applied associated bar become better binary bug build certain configure " +
      "considered continue date depend disable distribution else ensure equivalent explicitly external fail " +
      "followed general generate generated good handle happen header id implementation index indicate inside " +
      "install installed issue item kind large length link listed load log longer manual match maximum none open " +
      "original outside pass passed perform position previous produce purpose put range reason refer related " +
      "replace report returned search select separate sequence shell side something state status stored sure " +
      "table taken target term thing third typically unix valid var various way word working written",
  ],
  [
    0.018,
    "accept according account action active against alternative amount around assume attempt attribute best " +
      "block calling changing close combination comment compatibility complex condition configured connection " +
      "consider context correct correspond count database debug delete depending describe difference doesn edit " +
      "entire equal event exactly exception executable execute executed execution explicit extra filename filter " +
      "fixed flag force future generally global high home html ignored image implement important individual info " +
      "init initial installation instance intended keep limited loaded loop lower machine making map matching " +
      "mechanism modified modify negative network occur one operating operator pattern please pre print probably " +
      "processing public recommended record regular relative remain remote replaced respectively resulting save " +
      "security selected send separated session shared short shown simply situation small software sometime " +
      "specification specifying started static stop store structure style together tree updated usage utility " +
      "view web whole writing",
  ],
  [
    0.012,
    "affect alternatively anything append arbitrary area array assign assigned author automatic backward begin " +
      "bin boolean building byte cache care chapter choice choose chosen class clear client column compatible " +
      "compile compiled completely config consist contained convert converted core course day declared dependent " +
      "deprecated desired determined digit dir direct disabled displayed domain double due dynamic easily easy " +
      "editing encoding enough enter exact exit expect expected fact final finally fully functionality greater " +
      "hand handling hard higher hold idea ignore immediately implemented insert invoked keyword larger letter " +
      "low management mark max meaning member minimum missing modification move multi nothing null numeric " +
      "obtained offer older omitted override pair passing performance performed permission placed plain positive " +
      "prefix prevent previously project property query random real reduce represent requirement resource " +
      "restriction selection sent service sery site skip sort speed statement sub subdirectory switch symbol " +
      "tell turn unit url variant visible wide yes",
  ],
];

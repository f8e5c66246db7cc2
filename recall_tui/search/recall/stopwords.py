"""Words that say nothing about what is looked for, folded, in the languages questions come in.

Stop words are left out of a question. `NOISE` words stay but weigh little: they are what
questions are made of ("what kind of", "did she mention"), and now and then they are the point.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

_EN: Final = """\
a about after again all also am an and any are as at be because been before being both but by
can could did do does doing each few for from had has have having he her hers him his how i if
in into is it its just me more most my no not of on only or other our out over own same she
should so some such than that the their them then there these they this those through to too
under until up us very was we were what when where which while who whom whose why will with
would you your yours let please re ve ll t s d m"""
_DE: Final = """\
aber als am an auch auf aus bei beim bin bis bist da damit dann das dass dem den der des die
dies diese dieser dieses doch dort du durch ein eine einem einen einer eines er es euch fur für
hab habe haben hat hatte hatten ich ihm ihn ihr im in ist ja kann kannst kein keine können man
mein meine mich mir mit nach nicht noch nur oder ob schon sein seine sich sie sind so soll um
und uns unser unter vom von vor war waren warum was wegen weil wenn wer werden wie wir wird wo
wurde wurden zu zum zur zwischen über welche welcher welches"""
_FR: Final = """\
à au aux avec c ce ces cette comment d dans de des du elle elles en est et était été eu fait il
ils j je l la le les leur leurs lui m ma mais me mes moi mon n ne nos notre nous on ont ou où
par pas pour pourquoi qu quand que quel quelle quelles quels qui s sa sans se ses son sont sur
ta te tes ton tu un une vos votre vous y"""
_ES: Final = """\
al como cómo con cual cuál cuando cuándo de del desde donde dónde el él ella ellas ellos en era
es esa ese eso esta está este esto fue ha hay he la las le les lo los me mi mis mas más muy no
nos nuestra nuestro o para pero por porque qué que quien quién se sea ser si sí sin sobre son su
sus también te tu tus un una uno unos y ya yo"""
_PT: Final = """\
à ao aos as às com como da das de do dos e é ela ele eles em era essa esse esta este eu foi há
isso isto já lhe mais mas me meu minha na nas não no nos nossa nosso o os ou para pela pelo por
porque qual quando que quem se sem ser seu sua são também te tem um uma você"""
_IT: Final = """\
agli ai al alla alle allo anche che chi ci come con cosa da dai dal dalla dei del della delle
dello di dove e è ed era gli ha hai hanno ho i il in io la le lei lo loro lui ma mi mia mio ne
nei nel nella noi non o per perché più quale quando quello questa questo se si sono sta su sua
sul sulla suo ti tra tu un una uno"""
_RU: Final = """\
а без был была были было быть в вам вас во вот все всё вы где да для до его ее её если есть ещё
же за и из или им их к как какая какие какой когда кто ли мне мной может мой моя мы на над надо
нам нас наш не него нее нет ни но ну о об он она они оно от по под потом потому почему при с со
так такой там то тогда тоже только тот ты у уже чего чем что чтобы эта эти это этот я"""

_KO: Final = """\
것 그 그리고 나 내 너 누가 누구 뭐 무슨 무엇 무엇을 수 어느 어디 어디서 어떤 어떻게 언제 왜 우리
이 있나요 있는 있다 저 제 좀 하나요 하는 했나요 해줘"""

_ENGLISH: Final = frozenset(_EN.split())
_OTHERS: Final = tuple(frozenset(words.split()) for words in (_DE, _FR, _ES, _PT, _IT, _RU, _KO))


def stop_words(words: Iterable[str]) -> frozenset[str]:
    """Return the stop words of the language that some folded words are in.

    English unless another language explains more of them: `son`, `die` and `pour` are stop words
    in one language and the very point of a question in another.
    """
    asked = set(words)
    known = len(asked & _ENGLISH)
    best = max(_OTHERS, key=lambda stop: len(asked & stop))
    return best if len(asked & best) > known else _ENGLISH


_NOISE: Final = """\
kind type sort many much mention mentions mentioned describe described happen happened happens
name might likely thing things way use uses used using get gets got getting like likes really
lot even else one two new go goes going went been current currently recent recently particular
particularly specific specifically various related relate relating according consider considered
aspect aspects different example certain regarding involve involved involves involving typical
typically usually frequently often common commonly several either similar session sessions
conversation conversations chat chats"""
_LIGHT: Final = """\
activity activities area areas receive received receives receiving plan plans planned planning want
wants wanted need needs needed talk talks talked talking tell tells told say said says think thinks
thought feel feels felt know knows knew known find finds found take takes took taken taking make
makes made making give gives gave given giving try tries tried trying start starts started starting
become becomes became keep keeps kept keeping see sees saw seen look looks looked looking share
shares shared sharing discuss discussed discusses remember remembers remembered remind reminds
reason reasons idea ideas place places event events during together both
work works worked working"""
_ZH: Final = """\
我们 你们 他们 她们 怎么样 怎么 什么 为什么 哪里 哪个 哪些 如何 可以 是否 这个 那个 这些 那些 上次
之前 时候 问题 一下 一个 没有 还是 已经 的 了 吗 呢 吧 是 在 我 你 他 她 它 和 与 把 被 就 都
也 很 有 这 那 哪 谁 要 会 能 请 给 对 从 到 用 让"""
_ZH_KEPT: Final = """\
使用 应用 用户 调用 引用 启用 禁用 停用 通用 常用 专用 复用 占用 作用 用例
用法 用途 用于 会话 对话 会议 机会 请求 申请 要求 需要 主要 重要 必要 概要
摘要 功能 性能 智能 能力 可能 对象 对应 对比 对齐 对称 绝对 相对 校对 配对
匹对 针对 有效 所有 拥有 现有 固有 私有 公有 存在 在线 正在 实在 到期 达到
得到 找到 收到 遇到 从库 给定 交给 就绪 很多 这里 那里 总和 把握 也许 了解
为了 目的 有序 有限 只有 有关 有用 会员 要素 要点 邀请 用量 用语 用时 利用
采用 适用 可用 不用 试用 在于 内在 所在 在内 对方 对手 对话框 对账 应对
反对 面对"""
_JA: Final = """\
について ください でしょうか どのように どうやって ました ません でした ですか です ます
どこ いつ なぜ 何
どう この その あの これ それ あれ する した して いる ある から まで より では には とは の は が
を に で と も や へ か な"""

NOISE: Final = frozenset(_NOISE.split())

LIGHT: Final = frozenset(_LIGHT.split())
"""Words that may be the point of a question, and are told in other words all the same."""

GERMAN: Final = _OTHERS[0]
"""The language in which a capital makes no name."""

ZH: Final = _ZH.split()
"""Chinese words a run is parted at, ..."""

ZH_KEPT: Final = _ZH_KEPT.split()
"""... but not inside of these, which hold one of them: session, user, request, to use."""


JA: Final = _JA.split()
"""Japanese particles and endings a run is parted at."""

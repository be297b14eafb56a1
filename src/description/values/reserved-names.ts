/**
 * Names that a robot file may give: identifiers that mean nothing else in C, C++, TypeScript, libm, POSIX and their
 * usual macros, because they become names in generated code.
 */
import type { KanegenError } from '../../common/error.ts';
import type { Place } from '../source/source.ts';

const words = (text: string): string[] => text.trim().split(/\s+/);

interface Reserved {
  /** `PI` is … */
  readonly why: string;
  readonly names: readonly string[];
}

const reserved = (groups: readonly Reserved[]): ReadonlyMap<string, string> =>
  new Map(groups.flatMap(({ why, names }) => names.map((name): [string, string] => [name, why])));

/** Words of the languages that names are written in, here and in generated code. */
const WORDS_OF_LANGUAGES: readonly Reserved[] = [
  {
    why: 'a keyword of C or C++',
    names: words(`
        alignas alignof and and_eq asm atomic_cancel atomic_commit atomic_noexcept auto bitand bitor bool break case catch
        char char8_t char16_t char32_t class compl complex concept const consteval constexpr constinit const_cast continue
        co_await co_return co_yield decltype default delete do double dynamic_cast else enum explicit export extern false
        float for friend goto if imaginary inline int long mutable namespace new noexcept noreturn not not_eq nullptr
        operator or or_eq private protected public reflexpr register reinterpret_cast requires restrict return short signed
        sizeof static static_assert static_cast struct switch synchronized template this thread_local throw true try
        typedef typeid typename typeof typeof_unqual union unsigned using virtual void volatile wchar_t while xor xor_eq`),
  },
  {
    why: 'a word of JavaScript or TypeScript',
    names: words(`
        abstract any arguments as assert asserts async await bigint boolean constructor debugger declare eval finally from
        function get global globalThis hasOwnProperty implements import in infer instanceof interface is isPrototypeOf
        keyof let module never null number object of out override package prototype readonly require satisfies set string
        super symbol toString toLocaleString type undefined unique unknown valueOf var with yield Infinity NaN Math Object
        Array Function Number String Symbol Float32Array Float64Array Map Set Promise Proxy Reflect Error JSON Date`),
  },
  { why: 'a word of the formula language', names: words('pi mod to in and or not dot cross norm sign') },
];

/** Names of libraries and headers, with which names clash where they reach code as they are. */
const NAMES_OF_LIBRARIES: readonly Reserved[] = [
  {
    why: 'a function or type of the C mathematics library',
    names: words(`
        acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh drem erf erfc exp exp2 exp10 expm1 fabs fdim
        finite floor fma fmax fmin fmod fpclassify frexp gamma gammaf hypot ilogb isfinite isgreater isgreaterequal isinf
        isless islessequal islessgreater isnan isnormal isunordered j0 j1 jn ldexp lgamma llrint llround log log10 log1p
        log2 logb lrint lround modf nan nearbyint nextafter nexttoward pow pow10 remainder remquo rint round scalb scalbln
        scalbn signbit signgam significand sin sincos sinh sqrt tan tanh tgamma trunc y0 y1 yn double_t float_t`),
  },
  {
    why: 'a name of the C library or of POSIX',
    names: words(`
        abort abs accept access alarm alloca asctime assert atexit atof atoi atol atoll bcmp bcopy bind brk bsearch bzero
        calloc chdir chmod chown chroot clearerr clearenv clock close closedir connect creat crypt ctime cuserid daemon
        difftime div div_t dprintf dup dup2 encrypt environ errno execl execle execlp execv execve execvp exit fchdir
        fchmod fclose fcntl fdopen feof ferror fflush ffs fgetc fgetpos fgets fileno fopen fork fpos_t fprintf fputc fputs
        fread free freopen fscanf fseek fsetpos fstat fsync ftell ftime ftruncate fwrite getc getchar getcwd getdate
        getenv getline getopt getpid getppid gets getuid gmtime index initstate int8_t int16_t int32_t int64_t intmax_t
        intptr_t ioctl isalnum isalpha isatty isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper
        isxdigit kill labs ldiv link listen llabs lldiv localeconv localtime lockf longjmp lseek main malloc mblen memccpy
        memchr memcmp memcpy memmove memset mkdir mkfifo mknod mktime mmap mount munmap nice off_t open opendir optarg
        optind pause pclose perror pid_t pipe poll popen printf ptrdiff_t putc putchar putenv puts qsort quick_exit raise
        rand random read readdir readlink realloc recv remove rename rewind rindex rmdir scanf select send setbuf setenv
        setjmp setlocale setvbuf shutdown sigaction signal size_t sleep snprintf socket sprintf srand srandom ssize_t stat
        stderr stdin stdout strcat strchr strcmp strcoll strcpy strcspn strdup strerror strftime strlen strncat strncmp
        strncpy strpbrk strrchr strspn strstr strtod strtof strtok strtol strtoul strxfrm swab symlink sync sysconf system
        tempnam time time_t times timezone tmpfile tmpnam toascii tolower toupper truncate ttyname tzname tzset uid_t
        uint8_t uint16_t uint32_t uint64_t uintmax_t uintptr_t umask uname ungetc unlink unsetenv usleep utime va_arg
        va_copy va_end va_list va_start vfork vfprintf vprintf vsnprintf vsprintf wait waitpid wctomb write daylight`),
  },
  {
    why: 'a macro of a common C or POSIX header',
    names: words(`
        BUFSIZ CHAR_BIT CHAR_MAX CHAR_MIN CLOCKS_PER_SEC DBL_DIG DBL_EPSILON DBL_MAX DBL_MIN DOMAIN EDOM EILSEQ ENOENT
        ENOMEM EINVAL ERANGE EOF EXIT_FAILURE EXIT_SUCCESS FALSE FILE FILENAME_MAX FLT_DIG FLT_EPSILON FLT_MAX FLT_MIN
        FOPEN_MAX FP_INFINITE FP_NAN FP_NORMAL FP_SUBNORMAL FP_ZERO HUGE HUGE_VAL HUGE_VALF HUGE_VALL I INFINITY INT_MAX
        INT_MIN LDBL_MAX LONG_MAX LONG_MIN MAXFLOAT MATH_ERREXCEPT MATH_ERRNO M_1_PI M_2_PI M_2_SQRTPI M_E M_LN10 M_LN2
        M_LOG10E M_LOG2E M_PI M_PI_2 M_PI_4 M_SQRT1_2 M_SQRT2 NAN NDEBUG NULL OVERFLOW PATH_MAX PLOSS RAND_MAX SEEK_CUR
        SEEK_END SEEK_SET SHRT_MAX SHRT_MIN SIG_DFL SIG_ERR SIG_IGN SING SIZE_MAX TLOSS TMP_MAX TRUE UCHAR_MAX UINT_MAX
        ULONG_MAX UNDERFLOW USHRT_MAX X_TLOSS linux unix near far min max errno math_errhandling offsetof`),
  },
  {
    why: 'a macro of common headers of microcontrollers or of Windows',
    names: words(`
        CHANGE CONST DEFAULT DEG_TO_RAD DELETE DISPLAY ERROR EULER EXTERNAL FALLING HALF_PI HIGH IN INPUT INPUT_PULLDOWN
        INPUT_PULLUP INTERNAL LOW LSBFIRST MSBFIRST OPTIONAL OUT OUTPUT PI RAD_TO_DEG RISING SERIAL TWO_PI VOID small`),
  },
];

const NAMES_OF_FRAMES: readonly Reserved[] = [{ why: 'the name of the world among frames', names: ['base'] }];

/**
 * A robot's name reaches code as a prefix (`far_update`), as a name of files (`far.h`), and in capitals
 * as a type of TypeScript (`Far`): only what these clash with is refused.
 */
const NAMES_OF_FILES: readonly Reserved[] = [
  {
    why: 'the name of a standard header of C',
    names: words(`
        assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign stdarg stdatomic
        stdbool stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar wchar wctype`),
  },
  {
    why: 'a type of TypeScript when it is capitalised',
    names: words(`
        array date dynamics error float32-array float64-array function infinity map number object promise proxy reflect
        robot-table set signal string symbol`),
  },
];

/** What is reserved: for identifiers in formulas; for links, frames and masses, which stand behind a prefix in code; for robots. */
export const RESERVED_NAMES: Readonly<Record<'identifier' | 'frame' | 'robot', readonly Reserved[]>> = {
  identifier: [...WORDS_OF_LANGUAGES, ...NAMES_OF_LIBRARIES],
  frame: [...WORDS_OF_LANGUAGES, ...NAMES_OF_FRAMES],
  robot: NAMES_OF_FILES,
};

const RESERVED = {
  identifier: reserved(RESERVED_NAMES.identifier),
  frame: reserved(RESERVED_NAMES.frame),
  robot: reserved(RESERVED_NAMES.robot),
};

/** Why `name` cannot be used, or undefined. Names of types and states do not reach code, those of actuators have a prefix there. */
export function reservedReason(name: string, kind: NameKind = 'identifier'): string | undefined {
  return kind === 'identifier' || kind === 'frame' || kind === 'robot' ? RESERVED[kind].get(name) : undefined;
}

const IDENTIFIER = /^[A-Za-z][A-Za-z0-9_]*$/;
const DASHED = /^[A-Za-z][A-Za-z0-9_-]*$/;
const ROBOT_NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
const LONGEST_NAME = 64;

/**
 * `identifier`: used in formulas; `frame`: links, frames and masses, used in formulas only before a dot; `prefixed`: in code only behind a prefix; `dashed`: names of types; `robot`: names files and
 * functions.
 */
export type NameKind = 'identifier' | 'frame' | 'prefixed' | 'dashed' | 'robot';

const PATTERNS: Record<NameKind, { pattern: RegExp; rule: string }> = {
  identifier: { pattern: IDENTIFIER, rule: 'letters, digits and _, with a letter first' },
  frame: { pattern: IDENTIFIER, rule: 'letters, digits and _, with a letter first' },
  prefixed: { pattern: IDENTIFIER, rule: 'letters, digits and _, with a letter first' },
  dashed: { pattern: DASHED, rule: 'letters, digits, - and _, with a letter first' },
  robot: { pattern: ROBOT_NAME, rule: 'small letters and digits, joined by -, with a letter first' },
};

/** `: fl_hip` for `fl-hip`, where joining the parts in another way makes a good name. */
function likeName(name: string, kind: NameKind): string {
  const joint = kind === 'robot' ? '-' : '_';
  const parts = name.split(/[^A-Za-z0-9]+/).filter((part) => part !== '');
  const joined = (kind === 'robot' ? parts.map((part) => part.toLowerCase()) : parts).join(joint);
  return PATTERNS[kind].pattern.test(joined) && !reservedReason(joined, kind) ? `: ${joined}` : '';
}

/**
 * The problem with a name, undefined when it is a good one. Reported at the key for names that are keys.
 */
export function nameProblem(
  place: Place,
  name: string,
  what: string,
  kind: NameKind,
  at: 'key' | 'value',
): KanegenError | undefined {
  const { pattern, rule } = PATTERNS[kind];
  const report = (code: string, message: string, remedy: string): KanegenError =>
    at === 'key' ? place.keyError(code, message, remedy) : place.error(code, message, remedy);
  if (name.length > LONGEST_NAME)
    return report('malformed-name', `the name of ${what} has ${name.length} characters`, `use at most ${LONGEST_NAME}`);
  if (!pattern.test(name) || name.includes('__'))
    return report(
      'malformed-name',
      `\`${name}\` cannot be the name of ${what}`,
      `use ${rule}, and no double underscore${likeName(name, kind)}`,
    );
  const reason = reservedReason(name, kind);
  if (reason)
    return report(
      'reserved-name',
      `\`${name}\` is ${reason}, and cannot be the name of ${what}`,
      `choose another name, such as \`${name}1\` or \`the_${name}\``,
    );
  if (/^(kg|kanegen)(_|-|$)/i.test(name) && (kind === 'robot' || name.includes('_')))
    return report(
      'reserved-name',
      `names that begin with kg_ or kanegen_ belong to generated code`,
      'choose another name',
    );
  return undefined;
}

//===- Parser.h - The parser of .loom text ----------------------*- C++ -*-===//
//
// A cursor over the text that implements MLIR's OpAsmParser, so that the assembly formats of the
// ODS definitions drive it. There is no token stream: every parse function skips trivia and looks
// at characters. ParserTokens.cpp has the token-level functions, Parser.cpp statements, scopes,
// comments and recovery.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_LIB_TEXT_PARSER_H
#define LOOM_LIB_TEXT_PARSER_H

#include "TypedValues.h"
#include "loom/IR/AsmSupport.h"
#include "loom/IR/SourceInfo.h"
#include "loom/Text/Text.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

namespace loom {

class Parser final : public TextParser {
public:
  /// `listener` may be null.
  Parser(mlir::MLIRContext *context, llvm::StringRef text, llvm::StringRef file,
         unsigned errorLimit, SourceListener *listener);

  /// Parses the whole text into the body of `module`.
  void parseModule(mlir::ModuleOp module);
  unsigned errorCount() const { return errors; }

  //===--- TextParser -----------------------------------------------------===//
  ParseResult parseTextType(mlir::Type &type,
                            llvm::SmallVectorImpl<UnresolvedOperand> *dims) override;
  mlir::Value lookup(const UnresolvedOperand &operand) override;
  mlir::InFlightDiagnostic emitCoded(llvm::SMLoc loc, DiagCode code,
                                     const llvm::Twine &message) override;
  std::optional<llvm::APFloat> readFloat(llvm::SMLoc loc,
                                         const llvm::fltSemantics &semantics) override;
  ParseResult parseDashedWord(llvm::StringRef &word) override;
  ParseResult parseSymbolRef(mlir::FlatSymbolRefAttr &symbol) override;
  ParseResult parseEncoding(EncodingAttr &encoding) override;
  ParseResult parseOptionalDict(mlir::NamedAttrList &entries) override;
  ParseResult parseNamedRegion(mlir::Region &region, llvm::ArrayRef<Argument> arguments,
                               StatementNames names) override;
  llvm::StringRef getStatementWord() override { return statementWord; }
  mlir::InFlightDiagnostic emitUndefined(const UnresolvedOperand &operand) override;
  bool onNewLine() override { return lineEnded(); }
  void declareDims(const UnresolvedOperand &argument,
                   llvm::ArrayRef<UnresolvedOperand> dims) override {
    declaredDims.push_back({argument.name, llvm::to_vector(dims)});
  }

  //===--- AsmParser: places and errors ------------------------------------===//
  mlir::InFlightDiagnostic emitError(llvm::SMLoc loc, const llvm::Twine &message = {}) override;
  mlir::Builder &getBuilder() const override { return builder; }
  llvm::SMLoc getCurrentLocation() override;
  llvm::SMLoc getNameLoc() const override { return nameLoc; }
  mlir::Location getEncodedSourceLoc(llvm::SMLoc loc) override;
  std::pair<llvm::StringRef, unsigned> getResultName(unsigned index) const override {
    return {resultNames[index], 0};
  }
  size_t getNumResults() const override { return resultNames.size(); }

  //===--- AsmParser: punctuation and words --------------------------------===//
  ParseResult parseArrow() override { return punctuation("->"); }
  /// Refuses `-> ()` as well: an arrow that may be left out has results behind it.
  ParseResult parseOptionalArrow() override;
#define LOOM_PUNCTUATION(Name, spelling)                                                           \
  ParseResult parse##Name() override { return punctuation(spelling); }                             \
  ParseResult parseOptional##Name() override { return optionalPunctuation(spelling); }
  LOOM_PUNCTUATION(LBrace, "{")
  LOOM_PUNCTUATION(RBrace, "}")
  LOOM_PUNCTUATION(Colon, ":")
  LOOM_PUNCTUATION(Comma, ",")
  LOOM_PUNCTUATION(Equal, "=")
  LOOM_PUNCTUATION(Less, "<")
  LOOM_PUNCTUATION(Greater, ">")
  LOOM_PUNCTUATION(Question, "?")
  LOOM_PUNCTUATION(Plus, "+")
  LOOM_PUNCTUATION(Slash, "/")
  LOOM_PUNCTUATION(Minus, "-")
  LOOM_PUNCTUATION(Star, "*")
  LOOM_PUNCTUATION(VerticalBar, "|")
  LOOM_PUNCTUATION(LParen, "(")
  LOOM_PUNCTUATION(RParen, ")")
  LOOM_PUNCTUATION(LSquare, "[")
  LOOM_PUNCTUATION(RSquare, "]")
  LOOM_PUNCTUATION(Ellipsis, "...")
#undef LOOM_PUNCTUATION
  ParseResult parseOptionalKeyword(llvm::StringRef keyword) override;
  ParseResult parseOptionalKeyword(llvm::StringRef *keyword) override;
  ParseResult parseOptionalKeyword(llvm::StringRef *keyword,
                                   llvm::ArrayRef<llvm::StringRef> allowed) override;
  ParseResult parseKeyword(llvm::StringRef keyword, const llvm::Twine &message = {}) override;
  ParseResult parseOptionalKeywordOrString(std::string *result) override;
  ParseResult parseOptionalString(std::string *string) override;
  ParseResult parseFloat(double &result) override;
  ParseResult parseFloat(const llvm::fltSemantics &semantics, llvm::APFloat &result) override;
  mlir::OptionalParseResult parseOptionalInteger(llvm::APInt &result) override;
  mlir::OptionalParseResult parseOptionalDecimalInteger(llvm::APInt &result) override;
  ParseResult parseCommaSeparatedList(Delimiter delimiter,
                                      llvm::function_ref<ParseResult()> element,
                                      llvm::StringRef context = {}) override;

  //===--- AsmParser: types and attributes ---------------------------------===//
  ParseResult parseType(mlir::Type &type) override { return parseTextType(type, nullptr); }
  mlir::OptionalParseResult parseOptionalType(mlir::Type &type) override;
  ParseResult parseArrowTypeList(llvm::SmallVectorImpl<mlir::Type> &types) override;
  ParseResult parseOptionalArrowTypeList(llvm::SmallVectorImpl<mlir::Type> &types) override;
  ParseResult parseColonType(mlir::Type &type) override;
  ParseResult parseColonTypeList(llvm::SmallVectorImpl<mlir::Type> &types) override;
  ParseResult parseOptionalColonTypeList(llvm::SmallVectorImpl<mlir::Type> &types) override;
  ParseResult parseAttribute(mlir::Attribute &result, mlir::Type type = {}) override;
  ParseResult parseCustomAttributeWithFallback(
      mlir::Attribute &result, mlir::Type type,
      llvm::function_ref<ParseResult(mlir::Attribute &, mlir::Type)> parse) override;
  ParseResult
  parseCustomTypeWithFallback(mlir::Type &result,
                              llvm::function_ref<ParseResult(mlir::Type &)> parse) override;
  mlir::OptionalParseResult parseOptionalAttribute(mlir::Attribute &result,
                                                   mlir::Type type = {}) override;
  mlir::OptionalParseResult parseOptionalAttribute(mlir::ArrayAttr &result,
                                                   mlir::Type type = {}) override;
  mlir::OptionalParseResult parseOptionalAttribute(mlir::StringAttr &result,
                                                   mlir::Type type = {}) override;
  mlir::OptionalParseResult parseOptionalAttribute(mlir::SymbolRefAttr &result,
                                                   mlir::Type type = {}) override;
  ParseResult parseOptionalAttrDict(mlir::NamedAttrList &result) override;
  ParseResult parseOptionalAttrDictWithKeyword(mlir::NamedAttrList &result) override;
  ParseResult parseOptionalSymbolName(mlir::StringAttr &result) override;
  ParseResult parseDimensionList(llvm::SmallVectorImpl<int64_t> &dimensions, bool allowDynamic,
                                 bool withTrailingX) override;
  ParseResult parseXInDimensionList() override { return punctuation("x"); }

  //===--- OpAsmParser: values and regions ---------------------------------===//
  ParseResult parseOperand(UnresolvedOperand &result, bool allowResultNumber = true) override;
  mlir::OptionalParseResult parseOptionalOperand(UnresolvedOperand &result,
                                                 bool allowResultNumber = true) override;
  ParseResult parseOperandList(llvm::SmallVectorImpl<UnresolvedOperand> &result,
                               Delimiter delimiter = Delimiter::None, bool allowResultNumber = true,
                               int requiredOperandCount = -1) override;
  ParseResult resolveOperand(const UnresolvedOperand &operand, mlir::Type type,
                             llvm::SmallVectorImpl<mlir::Value> &result) override;
  ParseResult parseArgument(Argument &result, bool allowType = false,
                            bool allowAttrs = false) override;
  mlir::OptionalParseResult parseOptionalArgument(Argument &result, bool allowType,
                                                  bool allowAttrs) override;
  ParseResult parseArgumentList(llvm::SmallVectorImpl<Argument> &result, Delimiter delimiter,
                                bool allowType, bool allowAttrs) override;
  ParseResult parseRegion(mlir::Region &region, llvm::ArrayRef<Argument> arguments,
                          bool enableNameShadowing) override;
  mlir::OptionalParseResult parseOptionalRegion(mlir::Region &region,
                                                llvm::ArrayRef<Argument> arguments,
                                                bool enableNameShadowing) override;
  mlir::OptionalParseResult parseOptionalRegion(std::unique_ptr<mlir::Region> &region,
                                                llvm::ArrayRef<Argument> arguments,
                                                bool enableNameShadowing) override;

  ParseResult parseSuccessor(mlir::Block *&block) override;
  mlir::OptionalParseResult parseOptionalSuccessor(mlir::Block *&block) override;
  ParseResult parseSuccessorAndUseList(mlir::Block *&block,
                                       llvm::SmallVectorImpl<mlir::Value> &operands) override;

  //===--- Parts of MLIR's syntax that Loom's text does not have ------------===//
  ParseResult parseBase64Bytes(std::vector<char> *) override { return foreign("bytes"); }
  ParseResult parseAffineMap(mlir::AffineMap &) override { return foreign("an affine map"); }
  ParseResult parseAffineExpr(llvm::ArrayRef<std::pair<llvm::StringRef, mlir::AffineExpr>>,
                              mlir::AffineExpr &) override {
    return foreign("an affine expression");
  }
  ParseResult parseIntegerSet(mlir::IntegerSet &) override { return foreign("an integer set"); }
  mlir::FailureOr<mlir::AsmDialectResourceHandle> parseResourceHandle(mlir::Dialect *) override {
    return foreign("a resource");
  }
  mlir::LogicalResult pushCyclicParsing(const void *) override { return mlir::success(); }
  void popCyclicParsing() override {}
  ParseResult parseKeywordOrCompletion(llvm::StringRef *keyword) override {
    return AsmParser::parseKeyword(keyword);
  }
  void codeCompleteExpectedTokens(llvm::ArrayRef<llvm::StringRef>) override {}
  ParseResult parseOptionalLocationSpecifier(std::optional<mlir::Location> &) override {
    return mlir::success();
  }
  mlir::Operation *parseGenericOperation(mlir::Block *, mlir::Block::iterator) override {
    return nullptr;
  }
  mlir::FailureOr<mlir::OperationName> parseCustomOperationName() override {
    return foreign("an operation name");
  }
  ParseResult parseGenericOperationAfterOpName(
      mlir::OperationState &, std::optional<llvm::ArrayRef<UnresolvedOperand>>,
      std::optional<llvm::ArrayRef<mlir::Block *>>,
      std::optional<llvm::MutableArrayRef<std::unique_ptr<mlir::Region>>>,
      std::optional<llvm::ArrayRef<mlir::NamedAttribute>>, std::optional<mlir::Attribute>,
      std::optional<mlir::FunctionType>) override {
    return foreign("a generic operation");
  }
  ParseResult parseAffineMapOfSSAIds(llvm::SmallVectorImpl<UnresolvedOperand> &, mlir::Attribute &,
                                     llvm::StringRef, mlir::NamedAttrList &, Delimiter) override {
    return foreign("an affine map");
  }
  ParseResult parseAffineExprOfSSAIds(llvm::SmallVectorImpl<UnresolvedOperand> &,
                                      llvm::SmallVectorImpl<UnresolvedOperand> &,
                                      mlir::AffineExpr &) override {
    return foreign("an affine expression");
  }
  mlir::OptionalParseResult
  parseOptionalAssignmentList(llvm::SmallVectorImpl<Argument> &,
                              llvm::SmallVectorImpl<UnresolvedOperand> &) override {
    return std::nullopt;
  }

private:
  //===--- Characters --------------------------------------------------------===//
  /// Moves over blanks and comments; comments inside a statement are kept for it.
  void skip();
  bool atEnd() {
    skip();
    return cursor == end;
  }
  llvm::StringRef rest() {
    skip();
    return llvm::StringRef(cursor, end - cursor);
  }
  ParseResult optionalPunctuation(llvm::StringRef spelling);
  ParseResult punctuation(llvm::StringRef spelling);
  /// `%name`.
  mlir::OptionalParseResult parseOptionalName(UnresolvedOperand &result);
  /// Letters, digits and `extra`, beginning with a letter or `_`; empty when there is none.
  llvm::StringRef word(llvm::StringRef extra = "");
  ParseResult foreign(llvm::StringRef what);
  /// True when the next token, if there is one, stands on a later line than the last one.
  bool lineEnded();
  /// "expected `what`, got Y" at the cursor; at the end of the line when the text goes on behind
  /// it.
  mlir::InFlightDiagnostic emitExpected(const llvm::Twine &what);
  /// The same for a string; a word that wants quotes is written with them.
  mlir::InFlightDiagnostic emitExpectedString();
  /// True when a statement `%name = ...` begins at the cursor, on a line of its own.
  bool atNextStatement();

  //===--- Types and attributes -----------------------------------------------===//
  /// A type in the text whose slots are filled by `dims`.
  struct SpelledType {
    mlir::Type type;
    llvm::SMLoc loc;
    llvm::SmallVector<UnresolvedOperand> dims;
  };
  void registerTypeWords();
  ParseResult parseTypeWithDims(mlir::Type &type, llvm::SmallVectorImpl<UnresolvedOperand> &dims);
  ParseResult parseExtent(int64_t &extent, llvm::SmallVectorImpl<UnresolvedOperand> &dims);
  ParseResult parseShapedType(llvm::StringRef name, llvm::SMLoc loc, mlir::Type &type,
                              llvm::SmallVectorImpl<UnresolvedOperand> &dims);
  ParseResult parseAttachments(llvm::StringRef name, mlir::Type element, mlir::Attribute &layout,
                               llvm::SMLoc &layoutLoc, uint64_t &alignment,
                               llvm::SmallVectorImpl<UnresolvedOperand> &dims);
  ParseResult parseFunctionType(mlir::Type &type, llvm::SmallVectorImpl<UnresolvedOperand> &dims);
  ParseResult parseEncodingType(mlir::Type &type);
  ParseResult parsePoolType(mlir::Type &type, llvm::SmallVectorImpl<UnresolvedOperand> &dims);
  ParseResult parseRegisterType(mlir::Type &type);
  ParseResult parseStorageType(mlir::Type &type);
  ParseResult parseFuncRefType(mlir::Type &type);
  ParseResult parseMatrixType(mlir::Type &type);
  /// Resolves what declareDims said about the arguments of the region that begins.
  void resolveDeclaredDims();
  /// Checks that the types of the statement name the extents that their values have.
  ParseResult checkSpelledTypes(mlir::Operation *op);
  ParseResult parseIntegerAttribute(const llvm::APInt &integer, llvm::SMLoc loc, mlir::Type type,
                                    mlir::Attribute &result);
  ParseResult parseArrayAttribute(mlir::Attribute &result);
  ParseResult parseBytes(mlir::Attribute &result);
  ParseResult parseHashAttribute(mlir::Attribute &result);
  ParseResult parseParameters(llvm::StringRef family, mlir::Attribute &result);
  ParseResult parseDictValue(llvm::StringRef key, mlir::Attribute &value, bool ofOperation = false);
  /// An entry of a dictionary, and where its key and its value stand.
  struct DictKey {
    llvm::StringRef key;
    llvm::SMLoc loc, value;
  };
  ParseResult parseDict(mlir::NamedAttrList &entries, llvm::SmallVectorImpl<DictKey> &keys,
                        bool ofOperation);

  /// `type` as the statement writes it, with the names of its extents.
  std::string spellWritten(mlir::Type type);
  void noteLaterDefinition(mlir::InFlightDiagnostic &diag, llvm::StringRef name, llvm::SMLoc use);
  /// Tells `diag` anew when it is MLIR's about the number of types; fails when it is not.
  mlir::LogicalResult tellTypeCount(mlir::Diagnostic &diag);

  //===--- Statements ---------------------------------------------------------===//
  /// Reads comments and blank lines before a statement or a closing brace into `pending`; a comment
  /// on the line of the last statement belongs to that one.
  void collectTrivia(mlir::Block *block);
  /// Comments that stand before a closing brace.
  llvm::SmallVector<llvm::StringRef> takePendingAtEnd();
  void parseStatements(mlir::Block *block, bool topLevel);
  /// Declares those of `olderFamilies` that the module does not.
  void declareOlderFamilies(mlir::ModuleOp module);
  ParseResult parseStatement(mlir::Block *block);
  /// What stands behind the name of the operation, as it is written now or was once.
  ParseResult parseOperation(mlir::OperationState &state);
  /// `#alias = #family<...>`.
  ParseResult parseAlias(mlir::Block *block);
  /// `^label(%a: T):`; `block` becomes the block that it begins.
  ParseResult parseBlockLabel(mlir::Block *&block);
  llvm::StringRef parseLabelName();
  /// Reports blocks that are branched to and not defined.
  ParseResult closeLabels();
  /// Comments inside the statement, by the tokens before them.
  llvm::SmallVector<InnerComment, 0> anchorComments(const char *statementBegin);
  /// `before` is the operation on whose line the names stand, or null.
  ParseResult parseResultNames(llvm::SmallVectorImpl<UnresolvedOperand> &names,
                               mlir::Operation *before);
  /// The name of the operation at the cursor as MLIR knows it; empty after reporting.
  /// `before` is the operation on whose line the name stands, or null.
  std::string parseOperationName(mlir::Operation *before);
  /// Reports `name`, or what stands at its place, as no operation.
  void emitNoOperation(llvm::StringRef name, mlir::Operation *before);
  /// Reports `got`, which stands on the line of `before` and is no part of it.
  mlir::InFlightDiagnostic emitBehind(mlir::Operation *before, llvm::SMLoc loc,
                                      llvm::StringRef got);
  /// Whether more braces are closed in what follows than are open.
  bool closesTooMuch() const;
  /// Whether the innermost region ends in front of the cursor, where its closing brace is missing;
  /// reports that. The text tells it by its indentation, and by braces that are never closed.
  bool endsWithoutBrace();
  void noteOpenRegion(mlir::InFlightDiagnostic &diag, llvm::SMLoc header);
  ParseResult finishStatement(mlir::OperationState &state, mlir::Block *block,
                              llvm::ArrayRef<UnresolvedOperand> names);
  /// Moves behind a statement that could not be parsed.
  void recover(const char *statementBegin);

  /// The place `loc` with the name of the value defined there.
  mlir::Location locate(llvm::SMLoc loc, llvm::StringRef name);

  //===--- Scopes ----------------------------------------------------------------===//
  struct Definition {
    mlir::Value value; ///< null when its statement failed
    llvm::SMLoc loc;
    /// Told to be wrong: the name is defined twice, or the type is not what the operation makes.
    bool isDoubtful = false;
  };
  struct Scope {
    llvm::DenseMap<llvm::StringRef, Definition> definitions;
    bool isolated = false;
  };
  Definition *find(llvm::StringRef name);
  const Definition *find(llvm::StringRef name) const {
    return const_cast<Parser *>(this)->find(name);
  }
  /// Whether the type of a value is a mistake of its own statement. That is told there, once.
  bool tellWrongType(Definition &definition);
  ParseResult define(const UnresolvedOperand &name, mlir::Value value);
  SourceListener::Range rangeOf(llvm::StringRef spelled) const {
    return {static_cast<unsigned>(spelled.begin() - text.begin()),
            static_cast<unsigned>(spelled.end() - text.begin())};
  }
  void noteUse(const UnresolvedOperand &name, mlir::Value value) {
    if (listener)
      listener->useValue(rangeOf(name.name), value);
  }
  void poison(llvm::ArrayRef<UnresolvedOperand> names);

  mlir::MLIRContext *context;
  llvm::StringRef text;
  mlir::StringAttr file;
  const char *cursor, *end;
  mutable mlir::Builder builder;
  unsigned errors = 0, errorLimit;
  std::vector<const char *> lineStarts;
  size_t lastLine = 0; ///< of the place asked for last

  SourceListener *listener;
  llvm::StringMap<EncodingAttr> aliases;
  /// Types that are one word: those that elements can have, and others.
  llvm::StringMap<mlir::Type> scalarTypes, wordTypes;

  llvm::SMLoc nameLoc;
  llvm::StringRef statementWord;
  llvm::SmallVector<llvm::StringRef> resultNames;
  /// Dependent types of the current statement that its format does not resolve itself.
  std::vector<SpelledType> spelledTypes;
  /// Types with values in them that the statement has, and how it writes them.
  llvm::SmallVector<std::pair<mlir::Type, llvm::StringRef>, 2> writtenTypes;
  unsigned typeDepth = 0, attributeDepth = 0;
  PendingDimsScope pendingDims;
  llvm::SmallVector<std::pair<llvm::StringRef, llvm::SmallVector<UnresolvedOperand>>> declaredDims;
  std::vector<Scope> scopes;
  /// Values of regions that are closed, of the current statement of the module.
  llvm::DenseMap<llvm::StringRef, llvm::SMLoc> closed;
  /// Blocks of the regions that are open, innermost last. A block that is branched to before its
  /// label is read belongs to no region yet.
  struct Label {
    mlir::Block *block;
    llvm::SMLoc loc; ///< of the label, or of the first branch to it
    bool defined;
  };
  struct OpenRegion {
    mlir::Region *region;
    bool hasLabels;
    llvm::StringRef comment; ///< on the line of the opening brace
    llvm::SMLoc header;      ///< the operation that the region belongs to
    size_t indent = 0;       ///< of the line that it is in
    size_t bodyIndent = 0;   ///< of its first statement
    bool lacksBrace = false; ///< it ends in front of the cursor all the same
    /// What declareDims said of the arguments.
    llvm::SmallVector<std::pair<mlir::Value, llvm::SmallVector<mlir::Value>>, 0> argumentDims;
    llvm::MapVector<llvm::StringRef, Label> labels;
  };
  std::vector<std::unique_ptr<OpenRegion>> openRegions;
  std::vector<StatementNames> namings;
  /// While the text is read: what templates of MLIR's parser report, in the words of the language.
  mlir::ScopedDiagnosticHandler told;
  /// Names of the operations whose regions are open, innermost last.
  llvm::SmallVector<mlir::OperationName> enclosing;
  /// Families as the older spelling names them, which need no declaration there.
  llvm::SmallVector<mlir::StringAttr, 0> olderFamilies;
  /// The statement at the top level is spelled `func.template`.
  bool inOlderTemplate = false;
  /// A statement that uses a value of a failed statement fails silently.
  bool silent = false;
  /// The statement uses a value that is doubtful: what is said of types may follow from that.
  bool usesDoubtful = false;

  /// Comments and blank lines before the next statement; comments inside the current one.
  llvm::SmallVector<llvm::StringRef> pending, inside;
  /// Comments inside the block label just read: they move behind it.
  llvm::SmallVector<llvm::StringRef> labelComments;
  bool inStatement = false;
  /// End of the last statement or opening brace.
  const char *lastEnd;
  /// Behind the last opening brace.
  const char *regionOpen = nullptr;
  /// Where skip() began and ended last: with the cursor still at the second, the last token ends at
  /// the first.
  const char *tokenEnd = nullptr, *skipEnd = nullptr;
  /// Comments before the closing braces of the regions of the statement being parsed.
  llvm::SmallVector<std::pair<unsigned, llvm::StringRef>> regionEnd;
  /// Comments on the lines of their opening braces, and labels of their blocks.
  llvm::SmallVector<std::pair<unsigned, llvm::StringRef>> regionBegin, blockNames;
  unsigned regionCount = 0;
  /// How many braces of the text are not closed, without those reported; counted when it matters.
  std::optional<int> unclosedBraces;
  /// Those of them that stand where a statement is expected.
  int strayBraces = 0;
  /// Where the regions of the statement end: a new count of tokens begins there.
  llvm::SmallVector<const char *> segments;
};

} // namespace loom

#endif // LOOM_LIB_TEXT_PARSER_H

import CFastPathABI
import DNSWire
import Steering

/// The parts of a model that recipes depend on.
struct RecipePlan: Sendable {
    let steering: SteeringTables
    /// Whether the program knows which senders are in a view.
    let knowsViews: Bool
}

/// The recipes of a table and the cells that they refer to, shared by all names.
struct Recipes {
    /// Nil: no recipes are made.
    let plan: RecipePlan?
    /// Cells by identity of the reply they were made from. The reply is kept alive, so that its identity is not reused.
    var composed: [ObjectIdentifier: (reply: ComposedReply, cell: UInt32)] = [:]
    var templates: [RenderedReply: UInt32] = [:]
    /// By the bytes of the recipe and of its own parts.
    var recipes: [[UInt8]: UInt32] = [:]
    /// Number of cells of all recipes.
    var cells = 0
}

extension AnswerTable {
    /// The cell of a recipe; 0 if the program cannot execute it.
    mutating func cell(of composed: ComposedReply) -> UInt32 {
        let identity = ObjectIdentifier(composed)
        if let known = recipes.composed[identity] { return known.cell }
        guard let plan = recipes.plan, plan.knowsViews || !composed.isByView, recipes.cells < NC_RECIPE_CELLS else {
            return 0
        }
        let before = cells.count
        let cell =
            switch composed.content {
            case .byNode(let table, let replies): byNodeCell(of: composed, plan, table, replies)
            case .services(let members): servicesCell(of: composed, members)
            case .binding(let type, let prefix, let v4, let v6, let hasAddresses):
                bindingCell(
                    of: composed, [v4, v6].map { plan.steering.place(ofTable: $0) }, start(of: type, prefix),
                    hasAddresses: hasAddresses)
            case .addresses(let v4, let v6):
                addressesCell(of: composed, [v4, v6].map { plan.steering.place(ofTable: $0) })
            }
        recipes.cells += cells.count - before
        recipes.composed[identity] = (composed, cell)
        return cell
    }

    private mutating func byNodeCell(
        of composed: ComposedReply, _ plan: RecipePlan, _ table: Int, _ replies: [Int: RenderedReply]
    ) -> UInt32 {
        guard let last = replies.keys.max(), let least = replies.keys.min() else { return 0 }
        let perCell = Int(NC_PARTS_PER_CELL)
        let first = least / perCell
        var parts = [UInt32](repeating: 0, count: (last / perCell - first + 1) * perCell)
        for (slot, reply) in replies.sorted(by: { $0.key < $1.key }) {
            parts[slot - first * perCell] = template(reply)
        }
        var recipe = nc_recipe()
        recipe.kind = UInt8(NC_RECIPE_BY_NODE.rawValue)
        recipe.by = (plan.steering.place(ofTable: table), plan.steering.place(ofTable: nil))
        recipe.first = UInt16(first)
        recipe.count = UInt16(parts.count / perCell)
        return place(recipe, composed, parts.withUnsafeBytes { Array($0) })
    }

    private mutating func servicesCell(of composed: ComposedReply, _ members: [ComposedReply.Member]) -> UInt32 {
        guard members.count <= NC_MAX_MEMBERS else { return 0 }
        var parts: [UInt8] = []
        for member in members {
            guard let record = Self.part(member), let additional = Self.part(member.additional) else { return 0 }
            parts += record + additional
        }
        var recipe = nc_recipe()
        recipe.kind = UInt8(NC_RECIPE_SERVICES.rawValue)
        recipe.count = UInt16(members.count)
        return place(recipe, composed, parts)
    }

    /// The cells of a node's record; nil if it is too long.
    private static func part(_ member: ComposedReply.Member) -> [UInt8]? {
        let record = head(.srv) + member.data
        guard record.count <= NC_MEMBER_BYTES else { return nil }
        var cell = nc_member()
        cell.slot = UInt16(member.slot)
        cell.length = UInt16(record.count)
        let first = withUnsafeBytes(of: cell) { Array($0.prefix(MemoryLayout<nc_member>.offset(of: \.record) ?? 0)) }
        return first + record + [UInt8](repeating: 0, count: Int(NC_MEMBER_BYTES) - record.count)
    }

    /// The cells of its additional records.
    private static func part(_ additional: ComposedReply.AdditionalRecords?) -> [UInt8]? {
        let body = additional?.body ?? []
        let pointers = additional?.pointers ?? []
        guard body.count <= NC_BESIDE_BYTES, pointers.count <= NC_BESIDE_POINTERS else { return nil }
        let places = pointers.map { UInt8($0.place) | UInt8($0.isToQuestion ? NC_BESIDE_TO_QUESTION : 0) }
        return [UInt8(body.count), UInt8(additional?.records ?? 0), UInt8(pointers.count), 0] + places
            + [UInt8](repeating: 0, count: Int(NC_BESIDE_POINTERS) - places.count) + body
            + [UInt8](repeating: 0, count: Int(NC_BESIDE_BYTES) - body.count)
    }

    private mutating func bindingCell(
        of composed: ComposedReply, _ steering: [nc_name_steering], _ start: UInt32, hasAddresses: Bool
    ) -> UInt32 {
        guard start != 0 else { return 0 }
        var recipe = nc_recipe()
        recipe.kind = UInt8(NC_RECIPE_BINDING.rawValue)
        recipe.by = (steering[0], steering[1])
        recipe.parts = start
        if hasAddresses {
            recipe.flags = UInt8(NC_RECIPE_ADDRESSES_V4.rawValue | NC_RECIPE_ADDRESSES_V6.rawValue)
        }
        return place(recipe, composed, [])
    }

    private mutating func addressesCell(of composed: ComposedReply, _ steering: [nc_name_steering]) -> UInt32 {
        var recipe = nc_recipe()
        recipe.kind = UInt8(NC_RECIPE_ADDRESSES.rawValue)
        recipe.by = (steering[0], steering[1])
        return place(recipe, composed, [])
    }

    /// The cell with the fixed part of an HTTPS or SVCB record. The record's length is filled in later, too.
    private mutating func start(of type: RecordType, _ prefix: [UInt8]) -> UInt32 {
        template(RenderedReply(beginning: Self.head(type) + [0, 0] + prefix))
    }

    /// A record with the question's name as owner, up to its length field, with TTL 0.
    private static func head(_ type: RecordType) -> [UInt8] {
        [0xC0, 12, UInt8(type.rawValue >> 8), UInt8(type.rawValue & 255), 0, 1, 0, 0, 0, 0]
    }

    /// The cell of a recipe followed by its own parts, in whole cells.
    private mutating func place(_ recipe: nc_recipe, _ composed: ComposedReply, _ parts: [UInt8]) -> UInt32 {
        var recipe = recipe
        recipe.rule = composed.rule
        recipe.flags |= UInt8(composed.isByView ? NC_RECIPE_BY_VIEW.rawValue : 0)
        let key = withUnsafeBytes(of: recipe) { Array($0) } + parts
        if let known = recipes.recipes[key] { return known }
        if !parts.isEmpty { recipe.parts = parts.withUnsafeBytes { append($0[...]) } }
        var answer = nc_answer()
        // An answer of this length fits no client, so no query takes the cell for a static answer.
        answer.length = .max
        answer.flags = UInt8(NC_ANSWER_MADE.rawValue)
        withUnsafeBytes(of: recipe) { bytes in withUnsafeMutableBytes(of: &answer.body) { $0.copyBytes(from: bytes) } }
        let cell = append(answer)
        recipes.recipes[key] = cell
        return cell
    }

    /// The cell of a reply that is rendered for one node.
    private mutating func template(_ reply: RenderedReply) -> UInt32 {
        if let known = recipes.templates[reply] { return known }
        let cell = cell(of: reply)
        recipes.templates[reply] = cell
        return cell
    }
}

extension SteeringTables {
    /// Where the program finds a table's candidates; with `nil`, nothing is chosen.
    func place(ofTable table: Int?) -> nc_name_steering {
        guard let table else { return nc_name_steering(classes: 0, lists: 0, table: UInt16(NC_NO_TABLE), words: 0) }
        let place = tables[table]
        return nc_name_steering(
            classes: UInt32(place.classCell), lists: UInt32(place.listCell), table: UInt16(table),
            words: UInt16(wordSet(of: place.key.family)))
    }
}
